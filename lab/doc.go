// Package lab holds what measures the solver or searches with it and is no part of it: benchmarks (this machine's
// speed), the search for storage formats, the search for the fastest settings (tune), stress tests, and stochastic
// arithmetic.
//
// The search for storage formats, [Search], finds the cheapest formats of the parts of a solve with which the solve
// still meets a criterion: PROMISE ([Graillat19]) for iterative solvers. The parts are the entries of the method's
// matrix by classes of magnitude, the preconditioner, the vectors of the method, and the matrix and vector of the
// residuals. Each trial is a solve with iterative refinement; its error is measured with the matrix as given. Delta
// debugging, [Minimize], finds a minimal set of parts that must keep the widest format when the others get the next
// one. The search then repeats this with the next format for the parts that could be lowered.
//
// The stress tests attack the solver with systems that are meant to break it. They judge every solution by arithmetic
// that shares nothing with the solver: sums of products of float64 without any rounding (math/big.Int), fraction-free
// elimination in whole numbers for small systems, and elimination with 512 bits for larger ones. The judge uses
// neither pkg/verify nor the solvers.
//
// StressClasses lists the classes of systems and of injected faults. A case is a class and a number: it draws the
// system and the options from a random source that depends on the class, the number and the seed alone, so that every
// case can be repeated by itself.
//
// judge.go states what every case must satisfy.
//
// Tuning finds the method, preconditioner, precision and layout that take the least time for a system, by solving it.
//
// [TuneSearch] begins with what the rules of package solve choose. While its time lasts it then tries, in this order:
// methods with preconditioners, the most promising by the estimates of package solve first; precisions of the stored
// matrix for the fastest of these pairs; layouts for the fastest of those. A trial is a whole solve, from the matrix
// as given to the verdict, and is stopped when it takes some times as long as the fastest trial before it. At the end
// the fastest settings and the defaults run in turns, and a [Pairing] says whether a setting is significantly faster.
// Only solves that converge by the verdict of package verify count, and only settings that did not fall back.
//
// Discrete stochastic arithmetic is the CESTAC method of Vignes and La Porte as CADNA implements it ([Vignes93],
// [JezequelChesneaux08] in reproduce/records/BIBLIOGRAPHY.md). A [RandomRounding] computes as the processor does, but
// rounds each inexact result up or down, each with probability 1/2. A [StochasticNumber] consists of three samples of
// a value, computed by the same operations in the same order with independent roundings; [SampleDigits] estimates the
// number of decimal digits that the samples share. [StochasticSpace] and [StochasticOperator] make this arithmetic
// available to the iterative methods of pkg/krylov: vectors of three samples, decisions by the mean of the samples,
// and counters of instabilities. The samples show how far the roundings of one computation spread. They show neither
// how far an iteration was from its limit nor how accurate the data are.
package lab
