// Package matrixio reads and writes matrices and vectors in formats other than Matrix Market: our own .mpx; the
// binary files of PETSc; the files of NumPy and SciPy; MATLAB's, version 5; those of the Harwell-Boeing and
// Rutherford-Boeing collections; and those of hypre. docs/formats.md says what is read and written in each format.
//
// Package matrixmarket opens a file, unpacks it, and asks [Recognise], if that is in its options, for the reader:
//
//	c, err := matrixmarket.ReadFile(ctx, "A.npz", matrixmarket.Options{Other: matrixio.Recognise})
//
// Content is the same for all formats: symmetry is expanded, duplicates are added, zeros are dropped, and values that
// are not finite are noted with a warning. Faults are a *[matrixmarket.Error], which gives their byte or line. The
// sizes that a header declares are compared with the size of the file and with the limits of memory before anything
// is allocated for them; for a pipe, memory grows as it is read.
package matrixio
