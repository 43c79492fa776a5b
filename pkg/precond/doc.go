// Package precond holds preconditioners: approximations M of a sparse matrix A
// whose inverse is cheap to apply.
package precond
