// Package precond holds preconditioners: approximations M of a sparse n x n matrix
// A whose inverse is cheap to apply, z = M^-1 r. [New] makes one of any [Kind].
//
// Values are stored at the accuracy [Options].Epsilon, by default 2^-16, in b bytes,
// mostly 2 or 3 then; vectors and all arithmetic are FP64. An application allocates
// nothing and has the same bits for any number of threads. What it reads and writes,
// nnz the nonzeros of A and i the bytes of a column index, mostly 2 (package
// adaptive); the n-vectors that are kept, values of M besides; and what setting up
// takes:
//
//	           bytes an application         n-vectors  set-up
//	jacobi     (b + 16) n                   0          the diagonal of A
//	bjacobi    b sum of s^2 + 16 n          0          s^3 operations a block of s rows
//	ilu0, ic0  (b + 4) nnz + 56 n           1          one elimination on the pattern
//	ilut, ict  the same, nnz of the factors 1          one elimination with fill
//	chebyshev  d (b + i) nnz + (32 d + 24)n 2          15 products with A
//	fsai       2 (b + i) nnz(G) + 32 n      1          k^3 operations a row of k entries
//	amg        see below                    4 a level  3 products of matrices a level
//
// Jacobi is the diagonal of A, for rows of different size ([Saad03] 10.2):
//
//	z_i = r_i / a_ii
//
// Block Jacobi inverts the blocks A_k that the pattern shows on the diagonal, each
// stored in as few bytes as its condition number allows ([Anzt19]), for unknowns that
// come in nodes:
//
//	z_k = A_k^-1 r_k
//
// ILU0 and IC0 are the triangular factors of A without the entries outside of its
// pattern, ILUT and ICT without small ones and with as many as [Options].Fill allows
// ([Saad03] 10.3, [Saad94], [LinMore99]); they are for hard matrices on few threads:
//
//	M = L U, or L L^T where A is symmetric positive definite
//
// A bad pivot of IC is answered by factors of A + alpha diag(A) ([Manteuffel80]), one
// of ILU by a shift of that pivot; a zero diagonal of an unsymmetric A by a permutation
// of its rows ([Duff01]). Each is said to [Options].Log.
//
// Chebyshev is a polynomial of degree d in D^-1 A, D the diagonal of a symmetric
// positive definite A, that is small on the interval [a, b] of its eigenvalues
// ([Saad03] 12.3). It has no other data than A:
//
//	M^-1 = (I - q(D^-1 A)) A^-1,  q(t) = product of (1 - t/root_k), k = 1 to d+1
//
// FSAI is the factorised sparse approximate inverse of such an A with the factor G
// lower triangular, of a given pattern ([Kolotilina93]):
//
//	M^-1 = G^T G,  G minimises ||I - G L||_F, A = L L^T
//
// Both are products with sparse matrices only, and as parallel as those.
//
// AMG is smoothed aggregation multigrid ([Vanek96]), whose number of iterations hardly
// grows with n, for elliptic equations on grids and meshes:
//
//	A_(l+1) = P_l^T A_l P_l,  P_l = (I - omega D^-1 A_l) T_l
//
// T_l spans the near-null space, [MultigridOptions].NearNull, in aggregates of strongly
// connected nodes. On each level a V-cycle with d = 2 steps of its smoother before and
// after, Chebyshev ([Adams03]) or by row sums ([Baker11]), multiplies 2 d times with
// A_l, since the first step needs no product, and once each with P_l and P_l^T. That
// reads and writes
//
//	2 d (b + i) nnz(A_l) + 2 (b + i) nnz(P_l) + (64 d + 40) n_l bytes
//
// and about the operator complexity, the nonzeros of all A_l over those of A, times
// as much on all levels. K-cycles solve on coarser levels by at most two steps of
// flexible conjugate gradients, or GMRES where A is not symmetric ([Notay08]), for
// matrices on which V-cycles lose; M is another map each time then ([Varies]). The
// diagonal of A should not vary much: scale A and the near-null space first.
//
// What cannot be is an error: [ErrNotDefinite], [ErrSingular], and [ErrMemory] if it
// takes more than [Options].MaxBytes.
package precond
