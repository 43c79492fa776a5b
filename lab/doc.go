// Package lab holds what measures the solver or searches with it and is no part of it: benchmarks (this machine's
// speed), the search for storage formats, the search for the fastest settings (tune), and stress tests. Package
// lab/stochastic has stochastic arithmetic.
//
// The search for storage formats, [Search], finds the cheapest formats of the parts of a solve with which the solve
// still meets a criterion: PROMISE ([Graillat19]) for iterative solvers. The parts are the entries of the method's
// matrix by classes of magnitude, the preconditioner, the vectors of the method, and the matrix and vector of the
// residuals. Each trial is a solve with iterative refinement; its error is measured with the matrix as given. Delta
// debugging, [Minimize], finds a minimal set of parts that must keep the widest format when the others get the next
// one. The search then repeats this with the next format for the parts that could be lowered.
package lab
