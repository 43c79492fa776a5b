// Package krylov holds iterative methods for A x = b: conjugate gradients
// ([NewCG]), minimal residuals (MINRES), stabilised bi-conjugate gradients
// ([NewBiCGStab]), restarted generalised minimal residuals ([NewGMRES]), bi-conjugate gradients and
// the methods that come of them (BiCG, CGS, TFQMR), induced dimension reduction (IDR), least
// squares ([NewLSQR]), and iterative refinement around any of them ([Refinement]). [New] makes any of them by its name.
//
// A method sees A only through its products and vectors only through a space
// (package linop), so one source runs on float64 and double-double vectors, on
// the host and on devices. It looks for x in x_0 + K_m with
//
//	r_0 = b - A x_0,  K_m = span{r_0, A r_0, ..., A^(m-1) r_0}
//
// and with the error or the residual made small in its own way:
//
//	CG        minimises (x - x*)·A (x - x*) over K_m, for symmetric positive
//	          definite A; after m steps the error in that norm is at most
//	          2 ((sqrt(k) - 1)/(sqrt(k) + 1))^m of the first, k = cond(A)
//	MINRES    minimises ||b - A x|| over K_m, for symmetric A
//	BiCGStab  makes the residual a product of polynomials in A times r_0,
//	          p_m(A) q_m(A) r_0: p_m from bi-orthogonality, q_m a product of
//	          factors 1 - omega A, each minimising the residual locally
//	GMRES     minimises ||b - A x|| over K_m, and starts again after m steps
//	BiCG      makes the residual p_m(A) r_0 orthogonal to the Krylov space of A^T
//	CGS       makes it p_m(A) p_m(A) r_0; TFQMR smooths that
//	IDR(s)    keeps the residual in spaces of fewer and fewer dimensions
//	LSQR      minimises ||b - A x|| in the Krylov space of A^T A and A^T r_0
//
// ([Saad03], chapters 6 and 7, and [Paige75].) Work per iteration and memory, and
// what a preconditioner adds to it, if there is one, and if it is flexible, that is,
// another map each time:
//
//	          products  inner products   vectors besides x and b
//	CG        1         2 (+1, +2)       3 (+1)
//	MINRES    1         3 (+1)           6 (+1)
//	BiCGStab  2         6                5 (+2)
//	GMRES(m)  1         j + 1 in step j  m + 2 (+1, +m)
//	CGS       2         3                6 (+1)
//	BiCG      2         4                5 (+1)
//	IDR(s)    1         s + 2 at most    3 s + 3
//	TFQMR     2         6                8 (+1)
//	LSQR      2         3                5 (+1)
//
// One of the products of BiCG and LSQR is with the transpose. BiCGStab, CGS, TFQMR, BiCG and LSQR apply
// the preconditioner twice per iteration (the last two once its transpose), the others once, and GMRES
// once more per cycle unless it is flexible. All monitor the residual of A x = b.
//
// A method stops when a [Measure] of x and r is at most the tolerance, by
// default ||r||_2 / ||b||_2. All but GMRES update r along with x; rounding
// lets that recurrence and b - A x drift apart by about
//
//	u ||A|| max_k ||x_k||,  u the unit roundoff,
//
// so before they end as converged they recompute it: where it does not meet the
// tolerance, they continue from there, as long as that helps. GMRES recomputes the
// residual at the end of each cycle. [Refinement] recomputes it, more accurately if
// the operator can, after every correction. What any of them calls converged is.
//
// On an asynchronous space (linop.Async), such as a device, CG and BiCGStab defer the check
// of convergence: every Stride iterations they fetch the scalars of one, and judge them when
// the next one has been queued, so that nobody waits. Convergence is seen up to Stride + 1
// iterations late; x has had these, and Result.Iterations counts them. A Monitor hears of
// the iterations that were judged. After a fault the method goes back to the x that was
// saved with the last sound check, and judges every iteration for a while, so that the
// Reason is the same as on the host; iterations that were undone are not counted. GMRES adds the
// columns of up to Stride steps at a time to its least-squares problem, and counts the steps
// that x has had. The context and the limit of iterations are checked in every iteration.
// Other methods wait for scalars in every iteration, and so do CG and BiCGStab with a flexible
// preconditioner.
//
// A method is an iteration, its formulas, in a driver, which has the rest: see cg.go for
// the shortest.
//
// Not converging is a [Reason], not an error. Methods print nothing; a
// [Monitor] can watch. Vectors are kept from solve to solve, and solving again
// allocates nothing.
package krylov
