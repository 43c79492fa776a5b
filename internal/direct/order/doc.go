// Package order finds orders of the rows of a sparse n x n matrix in which its complete factors fill little, and counts what elimination takes in an
// order, all from the pattern of A + A^T, a [Graph], with pivots on the diagonal. Where column k of the factor L of P A P^T has c_k entries below the
// diagonal, [Elimination] has
//
//	entries          sum of c_k
//	multiplications  sum of c_k (c_k + 1), of L U; half as many of L L^T
//
// [AMD] eliminates vertices of about the least degree first ([Amestoy96]); [RowAMD] does so for the pattern of A A^T, which holds whichever columns
// the pivots are in ([Davis04]).
//
// [Dissect] is nested dissection ([George73]): a set of vertices S is removed that leaves two parts A and B without an edge between them, both are
// ordered in the same way, and then comes S. For n points in the plane factors have O(n log n) entries then, and in space O(n^(4/3)), for O(n^(3/2))
// and O(n^2) multiplications: on grids, no order takes less but for a constant. Separators are found by the multilevel method ([KarypisKumar98]).
// [Compress] makes one vertex of those with the same neighbours ([Ashcraft95]). Each vertex is matched with the neighbour to which its edge is heaviest,
// and pairs become vertices, until about 40 are left. S of the small graph is the boundary of half of its vertices, those that a breadth-first search
// meets first; the best of several counts. In each larger graph vertices v of S move to A, or in the next pass to B, and pull their neighbours on the
// other side into S, the one that gains most first, and what came after the smallest S is taken back ([FiducciaMattheyses82], for vertices as in
// [KarypisKumar98]). The gain of v to A, its weight less that of its neighbours in B, only grows in a pass.
// A and B have at most 0.6 of the weight. Small parts are ordered by AMD. Threads take parts from a common list; what becomes of a part depends on the
// part alone, so that the order is the same for any number of threads.
//
// [Partition] halves graphs by such separators into domains. A and B then have at most their shares of the weight, and S fills them up: vertices with
// most neighbours in A first.
//
// [Count] finds the elimination tree, where the parent of column j is the first i > j with l_ij other than 0 ([Liu90]), and the entries of each column
// ([Gilbert94]) in about the time of reading the graph, by
//
//	c_j + 1 = sum over children k of c_k + (1 if there are none) + row subtrees with a leaf at j - row subtrees with paths that meet at j
package order
