// Package matrixio reads and writes matrices and vectors in other formats than Matrix Market: .mpx, our own; the binary files of PETSc;
// those of NumPy and SciPy; MATLAB's, version 5; and the Harwell-Boeing and Rutherford-Boeing collections'.
// docs/formats.md says what is read and written of each.
//
// Package matrixmarket opens a file, unpacks it, and asks [Recognise] who reads it, if that is in its options:
//
//	c, err := matrixmarket.ReadFile(ctx, "A.npz", matrixmarket.Options{Other: matrixio.Recognise})
//
// Content is the same for all formats: symmetry expanded, duplicates added, zeros dropped, what is not finite noted with a warning.
// Faults are a *[matrixmarket.Error], which says at which byte or in which line they are. What a header declares is compared with the size
// of the file and with the limits of memory before anything is allocated for it; of what comes through a pipe, memory grows as it is read.
package matrixio
