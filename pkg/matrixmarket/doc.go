// Package matrixmarket reads and writes Matrix Market files.
//
// [ReadFile] and [Read] take every legal file: coordinate and array format;
// real, integer, pattern and complex fields; general, symmetric,
// skew-symmetric and hermitian symmetry; plain or compressed with gzip or
// bzip2, which is detected from the content, not from the name. Common deviations
// from the format are read with a warning; everything else is refused with an
// [Error] that gives line and column. docs/matrix-market.md lists every such decision
// with its reason.
//
// # How a file is read
//
// The text below the size line is cut at line ends into pieces of about 1 MB.
// Each piece is parsed on its own into a block of staged entries, 16 bytes
// each for a real matrix. Then every worker takes a contiguous range of rows
// and goes through the blocks in file order, twice: it counts the entries of
// its rows, and it fills them. A row therefore receives its entries in the
// order of the file whatever the number of threads, so the sum of duplicates,
// and with it every bit of the result, does not depend on that number.
//
// Errors do not depend on it either: pieces are handed out in file order until one
// has a fault, and of the faults found the one on the lowest line is reported.
//
// # Over the ranks of a job
//
// [ReadDistributed] cuts the pieces of a plain file into equal shares. Each rank parses its own; sums of lines and entries before its
// share give it the numbers of its lines, so the first fault in the order of the file is known to all. Nonzeros,
// counted in groups of rows, say where domains begin. Then entries go to the ranks that own their rows, and a
// rank adds its own entries and the entries of others in the order of the file, as the workers of a single process do: the bits are the same.
// [WriteDenseAt] writes an array at offsets, with the bytes of [WriteDense].
package matrixmarket
