// Package stochastic is discrete stochastic arithmetic, the CESTAC method of Vignes and La Porte as CADNA implements
// it ([Vignes93], [JezequelChesneaux08] in reproduce/present/BIBLIOGRAPHY.md).
//
// A [Rounding] computes as the processor does, but rounds each inexact result up or down, each with probability 1/2.
// A [Number] consists of three samples of a value, computed by the same operations in the same order with independent
// roundings; [Digits] estimates the number of decimal digits that the samples share. [Space] and [Operator] make this
// arithmetic available to the iterative methods of pkg/krylov: vectors of three samples, decisions by the mean of the
// samples, and counters of instabilities.
//
// The samples show how far the roundings of one computation spread. They show neither how far an iteration was from
// its limit nor how accurate the data are.
package stochastic
