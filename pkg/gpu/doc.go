// Package gpu keeps vectors and matrices on a device, a GPU, on which the methods of package krylov
// run: a linop.Space of vectors on the device and operators on them.
//
// There are four backends: CUDA, HIP and OpenCL, whose libraries are opened at run
// time and are not needed to build, and an emulated device, which runs the same
// kernels on the host, slowly, for tests and bug reports. All give the same bits. A build
// without cgo has none of them: Open and Best return an error that says so.
//
// Errors of a device do not go through linop's interfaces: the first one stays with its
// Device, all operations from then on do nothing, scalars read as NaN, and Device.Err
// returns it.
//
// Scalars stay on the device, see [Scalar] and source/scalar.h.
package gpu

//go:generate go run ../../tools gpugen
//go:generate go run ../../tools/measure gputable -counts testdata/ratchet.txt -page ../../docs/gpu.md
