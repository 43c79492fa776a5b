// Package adaptive stores a sparse matrix in adaptive precision: each nonzero
// in the fewest bytes that a wanted accuracy epsilon needs ([Molina24],
// [Graillat24]). Arithmetic stays in FP64.
//
// A nonzero passes four stages on its way from a matrix in FP64 to a product:
//
//	quantise  package packed              its format, or its integer in units of its row
//	choose    choose.go, model.go         the layout, by a model of the time of a product
//	pack      package packed, slotbuild.go its lane and slot; bucketed.go its bucket
//	multiply  MulRows of each layout      with the loops of internal/kernels
//
// [Build] runs them; layoutTable in layout.go has a row for each layout.
//
// An element of row i may carry an absolute error of at most
//
//	theta = epsilon T,  NW: T = ||A||_inf = max_i sum_j |a_ij|
//	                    CW: T_i = sum_j |a_ij|
//
// so it goes to the narrowest format, of unit roundoff u, that keeps u |a_ij|
// within theta, and one below theta to no format at all: it is dropped, unless
// it is on the diagonal or the largest of its row. A floating-point exponent of
// its own is wasted on an element whose error is bounded absolutely; AFX stores
//
//	m = round(a / q),  q = 2 theta,  |a - m q| <= q/2 = theta
//
// as a two's complement integer in as few bytes as m has.
//
// Except in paper-exact mode theta is rounded down to a power of two, so that
// values can be brought to the units of their row exactly: stored is
// a_ij / 2^e_i with 2^e_i about T_i, and a product multiplies each row by 2^e_i
// once. CW is thus NW after an exact equilibration of the rows, matrices of any
// magnitude are treated alike, and no value is out of the range of a format with the
// exponent of FP32.
//
// With p the largest number of nonzeros in a row, q the number of buckets and u
// = 2^-53 the stored matrix and a computed product y = A x obey, row by row
// (Bound),
//
//	sum_j |delta a_ij| <= p theta_i
//	|y_i - (A x)_i|    <= (p (epsilon + u) + (q - 1) u) T_i ||x||_inf
package adaptive
