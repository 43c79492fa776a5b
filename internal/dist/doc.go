// Package dist spreads a system A x = b over the ranks of a job.
//
// Rows are cut into [Domains], contiguous ranges that depend on the matrix and their number alone,
// and each rank owns whole domains. All that rounds belongs to domains: sums, layouts, halos,
// preconditioners. So the bits of a solve depend on the number of domains and not on that of ranks,
// and one process that owns all domains computes the same as many.
//
// A vector of a rank has a segment for each of its domains,
//
//	ghosts below | own elements | ghosts above
//
// in the order of their global indices. Ghosts are copies of elements of other domains that the
// rows of the domain refer to; [Halo.Exchange] renews them. A [Matrix] has the rows of a rank with columns
// that are positions in such vectors, so whatever multiplies a csr.Matrix with a vector
// multiplies with it.
//
// Ranks talk through a [Comm]: of MPI in a job, [Self] in a single process, and goroutines, by [Run], in tests.
package dist
