// Package simd holds the kernels of internal/kernels/c as assembly of Go, which tools/simdgen writes: names that end
// in Quad are for vectors of four lanes (AVX2 and NEON), those in Oct for vectors of eight (AVX-512). A kernel takes
// a struct of C as an unsafe.Pointer; internal/kernels declares that struct in Go and is the only caller.
// `make kernels-disassembly KERNEL=Csr64` prints instructions.
package simd
