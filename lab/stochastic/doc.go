// Package stochastic is discrete stochastic arithmetic, the CESTAC method of Vignes and La
// Porte as CADNA implements it ([Vignes93], [JezequelChesneaux08] in reproduce/present/BIBLIOGRAPHY.md).
//
// A [Rounding] computes as the processor does, but rounds each inexact result up or down,
// either with probability 1/2. A [Number] is three samples of a value, computed by the same
// operations in the same order with roundings of their own; [Digits] says how many decimal
// digits they have in common. [Space] and [Operator] bring that to the iterative methods of
// pkg/krylov: vectors of three samples, decisions by their mean, and counters of what goes
// wrong on the way.
//
// What the samples share stays unseen: they say how far the roundings of one computation
// spread, never how far it was from finished, or what its data are worth.
package stochastic
