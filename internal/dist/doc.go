// Package dist distributes a system A x = b over the ranks of a job.
//
// Rows are cut into [Domains], contiguous ranges that depend only on the matrix and the number of domains, in the order
// given or in another [Order]. Each rank owns whole domains. Everything that rounds belongs to domains: sums, layouts,
// halos, preconditioners. Therefore the bits of a solve depend on the number of domains but not on the number of ranks,
// and one process that owns all domains computes the same as many.
//
// A vector of a rank has a segment for each of its domains,
//
//	ghosts below | own elements | ghosts above
//
// in the order of their global indices. Ghosts are copies of elements of other domains that the rows of the domain
// refer to; [Halo.Exchange] updates them. A [Matrix] has the rows of a rank with columns that are positions in such
// vectors, so that any code that multiplies a csr.Matrix by a vector works with it.
//
// Ranks communicate through a [Comm]: MPI in a job, [Self] in a single process, and goroutines, by [Run], in tests.
package dist
