// Package formatsearch finds the cheapest storage formats of the parts of a solve with which it
// still meets a criterion: PROMISE ([Graillat19]) for iterative solvers.
//
// The parts are the entries of the method's matrix by classes of magnitude, the preconditioner, the
// vectors of the method, and the matrix and vector of residuals. Each trial is a solve with
// iterative refinement whose outcome is measured from the matrix as given. Delta debugging,
// [Minimize], finds a minimal set of parts that must keep the widest format when the others get the next
// one, then of these for the one after it, and so on.
package lab
