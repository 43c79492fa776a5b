// Package stress attacks the solver with systems that are meant to break it, and judges every
// answer by arithmetic that it shares with nothing: sums of products of float64 without any
// rounding (math/big.Int), fraction-free elimination in whole numbers for small systems, and
// elimination with 512 bits for larger ones. Nothing of pkg/verify or of the solvers is used
// to judge.
//
// Families lists the kinds of systems and of injected faults. A case is a family and a
// number: it draws the system and the options from a random source that depends on these
// and on the seed alone, so that every case can be run again by itself.
//
// What is demanded of every case is written down in judge.go.
package lab
