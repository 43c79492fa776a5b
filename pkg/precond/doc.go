// Package precond provides preconditioners: approximations M of a sparse n x n matrix
// A whose inverse is cheap to apply, z = M^-1 r. [New] sets up one of any [Kind];
// [Lookup] describes it.
//
// Values are stored at the accuracy [Options].Epsilon, 2^-16 by default, which takes b
// bytes each, mostly 2 or 3; vectors and all arithmetic are FP64. An application allocates
// nothing and has the same bits for any number of threads. The table lists the bytes that
// it reads and writes, the work vectors, and the cost of setting up, where nnz is the
// number of nonzeros of A and i the bytes of a column index, mostly 2 (package adaptive):
//
//	           bytes an application         n-vectors  set-up
//	jacobi     (b + 16) n                   0          the diagonal of A
//	bjacobi    b sum of s^2 + 16 n          0          s^3 operations a block of s rows
//	ilu0, ic0  (b + 4) nnz + 56 n           1          one elimination on the pattern
//	ilut, ict  the same, nnz of the factors 1          one elimination with fill
//	lu,chol,ldl 4 or 8 nnz of both + 56 n   2          one elimination with all fill
//	chebyshev  d (b + i) nnz + (32 d + 24)n 2          15 products with A
//	fsai       2 (b + i) nnz(G) + 32 n      1          k^3 operations a row of k entries
//	cg32       up to 80 (44 n + 4.3 nnz)    2          the diagonal of A, and A in FP32
//	amg        see below                    2 a level  3 products of matrices a level
//	schur      about 3 amg of A and of S    9          amg of A and of S, and a product
//
// Jacobi is the diagonal of A, for rows of different size ([Saad03] 10.2):
//
//	z_i = r_i / a_ii
//
// Block Jacobi inverts diagonal blocks A_k, found from the pattern, each stored in as few
// bytes as its condition number allows ([Anzt19]), for unknowns grouped in nodes:
//
//	z_k = A_k^-1 r_k
//
// ILU0 and IC0 are the triangular factors of A without the entries outside of its
// pattern, ILUT and ICT without small ones and with as many as [Options].Fill allows
// ([Saad03] 10.3, [Saad94], [LinMore99]); they are for hard matrices on few threads:
//
//	M = L U, or L L^T where A is symmetric positive definite
//
// Relaxed by omega = [Options].Relax ([AxelssonLindskog86]), each entry f_ij that ILU0 drops changes the
// diagonal of its row, in units of the near-null vector v, so that for omega = 1 M v = A v ([Gustafsson78]):
//
//	u_ii := u_ii + omega f_ij v_j / v_i
//
// LU and Cholesky are complete, by the multifrontal method ([DuffReid83], [Liu92]), subtrees in
// parallel: LU after the rows are permuted so that the diagonal is large ([Duff01]) and to block lower
// triangular form ([Tarjan72]), with pivots among the rows of each front ([LiDemmel98]); and where
// these do not suffice, row by row with any pivots, in time proportional to its multiplications
// ([GilbertPeierls88], [EisenstatLiu92]). Their orders are of minimum degree, or nested dissection where that
// takes less work ([Amestoy96], [Davis04], [George73]). LDL is positive definite for every symmetric A:
//
//	M = L |D| L^T, A = L D L^T
//
// If a pivot of IC is too small, A + alpha diag(A) is factored instead ([Manteuffel80]);
// tiny pivots of ILU are replaced, and the rows of an unsymmetric A with zeros on its
// diagonal are permuted ([Duff01]). Each is reported to [Options].Log.
//
// Chebyshev is a polynomial of degree d in D^-1 A, D the diagonal of a symmetric
// positive definite A, that is small on the interval [a, b] of its eigenvalues
// ([Saad03] 12.3). It stores hardly more than A:
//
//	M^-1 = (I - q(D^-1 A)) A^-1,  q(t) = product of (1 - t/root_k), k = 1 to d+1
//
// FSAI is the factorised sparse approximate inverse of such an A, with a lower triangular
// factor G of a given pattern ([Kolotilina93]):
//
//	M^-1 = G^T G,  G minimises ||I - G L||_F, A = L L^T
//
// ISAI has incomplete sparse approximate inverses of the factors of ILU(0) ([Anzt18]):
//
//	M^-1 = W_U W_L,  W_L L and W_U U are the identity on the patterns of W_L and W_U
//
// All three apply by products with sparse matrices alone, and are as parallel as these.
//
// CG32 solves inexactly by at most 80 iterations of conjugate gradients in FP32, where D is the diagonal of A:
//
//	D^-1/2 A D^-1/2 y = D^-1/2 r,  z = D^-1/2 y
//
// Where rows are short, vectors take most of an iteration, and these have half the bytes. M is not linear ([Varies]); the method
// that applies it takes a few iterations, whose vectors are FP64: nested Krylov methods as in [SuzukiIwashita25].
//
// AMG is smoothed aggregation multigrid ([Vanek96]), whose number of iterations hardly
// grows with n, for elliptic equations on grids and meshes:
//
//	A_(l+1) = P_l^T A_l P_l,  P_l = (I - omega D^-1 A_l) T_l
//
// T_l spans the near-null space, [MultigridOptions].NearNull, in aggregates of strongly
// connected nodes. Where few connections are strong, P_l interpolates from some of the unknowns instead, which
// are those of the next level ([DeSterck06], [DeSterck08]). On each level a V-cycle with d steps of its smoother before and after, one of
// SPAI-0 ([BroekerGrote02]) by default and two of l1-Jacobi ([Baker11]) where A is not symmetric,
// or a Chebyshev polynomial ([Adams03]), multiplies 2 d times by A_l,
// since the first step needs no product, and once each by P_l and P_l^T. That
// reads and writes
//
//	2 d (b + i) nnz(A_l) + 2 (b + i) nnz(P_l) + (24 d + 20) n_l bytes
//
// on the finest level, and on all levels that times about the operator complexity, the
// nonzeros of all A_l over the nonzeros of A. K-cycles solve on coarser levels by at most two steps of
// flexible conjugate gradients, or GMRES where A is not symmetric ([Notay08]), for
// matrices on which V-cycles converge slowly; M is not linear then ([Varies]). Vectors of
// a cycle are float32 and values 16-bit integers in units of their row, or float32, b = 2 or 4 and
// i = 0.3 to 2; at accuracies below 2^-24 all is in FP64. The
// diagonal of A should not vary much: scale A and the near-null space first.
//
// Schur is for saddle points of two fields, such as velocities and pressures, A and -C being the blocks of either one ([Murphy00]):
//
//	A~ u + G p = f,  -S~ p = g,  S~ ~ S = C + B A^-1 G
//
// It solves with A inexactly, by AMG and conjugate gradients, so that M is not linear. S~^-1 is one of least-squares commutators
// ([Elman06]) where A D^-1 G is nearly G F, D being the diagonal of A, and otherwise that of a mass matrix ([Elman14]):
//
//	L^-1 (C + B D^-1 A D^-1 G) L^-1,  L = C + B D^-1 G, or (C + diag(B D^-1 G))^-1
//
// [NewDistributed] is New for matrices that package dist spreads over ranks. Jacobi, Chebyshev and FSAI are made of the
// whole matrix; block Jacobi and factorisations are made of the block A_d of each domain, the latter with a layer of rows of
// other domains ([CaiSarkis99]), R_d being the rows of a domain and S_d those and the layer:
//
//	M^-1 = sum of R_d^T R_d S_d^T A_d^-1 S_d, or W (sum of S_d^T A_d^-1 S_d) W where M must be symmetric
//
// Setting up fails with [ErrNotDefinite], [ErrSingular], [ErrMemory] or [ErrWork] if it
// exceeds the limits of [Options], and [ErrInterrupted] if its context is done.
package precond
