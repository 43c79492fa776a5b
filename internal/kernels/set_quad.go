//go:build !purego && (amd64 || arm64)

package kernels

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels/simd"
)

// take takes the kernels of internal/kernels/c that are called alike for every width of vectors. In f, kernels of a
// narrower width stand for those that a width lacks.
func (k *Set) take(f *simd.Kernels) {
	k.vector = vectorKernels{
		dot: f.Dot, dot4: f.Dot4, axpy: f.Axpy, axpy4: f.Axpy4, axpyDot: f.AxpyDot, xpay: f.Xpay, scale: f.Scale, step: f.Step,
		mul: f.Mul, relax: f.Relax, copy: f.CopyTo, scaleTo: f.ScaleTo, add: f.Add, triad: f.Triad,
	}
	k.vectorDD = ddVectorKernels{
		dot: f.DotDD, dot2: f.Dot2DD, axpy: f.AxpyDD, axpy2: f.Axpy2DD,
		axpyDot: f.AxpyDotDD, xpay: f.XpayDD, scale: f.ScaleDD, step: f.StepDD,
	}
	k.mixed = mixedKernels{stepInto: f.StepInto, xpayMixed: f.XpayMixed}
	k.packed = packedKernels{f.DotFloats, f.DotShorts, f.AxpyFloats, f.AxpyShorts, f.DotFloats4, f.AxpyFloats4}

	k.csr64Multi = csrMultiSIMD[float64](f.Csr64Multi2, f.Csr64Multi4, f.Csr64Multi8)
	k.csr32Multi = csrMultiSIMD[float32](f.Csr32Multi2, f.Csr32Multi4, f.Csr32Multi8)
	k.sell8Multi = filledMultiSIMD(f.Sell8Multi2, f.Sell8Multi4, f.Sell8Multi8)
	k.bcrsMulti = filledMultiSIMD(f.BcrsMulti2, f.BcrsMulti4, f.BcrsMulti8)

	k.residues = f.DotResidues
	k.dot32 = f.Dot32
	k.dotMixed = f.DotMixed
	k.ell64 = f.Ell
	k.ell32 = f.Ell32
	k.ellMixed = f.EllMixed
	k.mulAdds = mulAddsKernels{f.MulAdds, f.MulAddsMixed, f.MulAdds32}
	k.fold = f.Fold
	k.denseKernels = denseKernels{mulSubSIMD[float64](f.MulSub), mulSubSIMD[float32](f.MulSub32)}

	k.sell8 = sell8SIMD(f.Sell8)
	k.slotsDD = mulSlotsDDSIMD(unsafe.Pointer(&pairTables), f.SlotsDD, f.FarSlotsDD)
	k.sell8DD = sell8DDSIMD(f.Sell8DD, f.Sell8DDNormal)
}

// takeLimbs takes the kernels of limbs.
func (k *Set) takeLimbs(f *simd.Kernels) {
	k.limbs = limbKernels{
		mul:  limbsSIMD(1, [...]limbFunc{f.MulLimbs3, f.MulLimbs5, f.MulLimbs9, f.MulLimbs17, f.MulLimbs33}),
		dot:  limbsSIMD(Lanes, [...]limbFunc{f.DotLimbs3, f.DotLimbs5, f.DotLimbs9, f.DotLimbs17, f.DotLimbs33}),
		rows: rowLimbsSIMD([...]rowLimbsFunc{f.RowLimbs3, f.RowLimbs5, f.RowLimbs9, f.RowLimbs17, f.RowLimbs33}),
	}
}

// quad takes the kernels of internal/kernels/c with vectors of four lanes.
func (k *Set) quad() {
	k.take(&simd.Quad)
	k.takeLimbs(&simd.Quad)

	k.csr64 = csrQuad[float64](csrHere)
	k.csr32 = csrQuad[float32](csrHere)

	k.slots = mulSlotsQuad
	k.fastSlots = true
	k.symmetric = mulSymmetricQuad

	k.chunks = chunksSIMD(simd.ChunksIntQuad, simd.ChunksFloatQuad)
	k.chunksMulti = chunksSIMD(simd.ChunksIntMultiQuad, simd.ChunksFloatMultiQuad)
	k.slotsMulti = quadMulti.mulSlots
	k.symmetricMulti = quadMulti.mulSymmetric

	k.decode = decodeQuad
	k.addRows = addRowsWordsQuad

	k.quantize = quantizeScalars
	k.arrange = arrangeSlotsQuad
	k.sameDiagonals = sameDiagonalsVectors
	k.blockWidths = blockWidthsVectors
	k.mirror = mirrorScalars
	k.absSums = absSumsVectors
	k.pack = packSlotsQuad
	k.packBlocks = packBlocksVectors

	k.coo = cooSIMD(csrHere)
	k.offsets = offsetsSIMD
	k.columns = columnsSIMD

	k.residual64 = csrResidualDDQuad
	k.bcrs = bcrsMulVecQuad
	k.bcrsT = bcrsMulVecTQuad
	k.csrDD = csrDDSIMD(csrHere)
	k.bcrsDD = bcrsMulVecDDQuad
	k.bcrsTDD = bcrsMulVecTDDQuad
}

// mulSubCall holds the arguments of the kernels of MulSub.
type mulSubCall struct {
	c, a, b                   unsafe.Pointer
	strideC, strideA, strideB int
	m, n, k                   int
}

func mulSubSIMD[T Value](kernel func(call unsafe.Pointer)) mulSubKernel[T] {
	return func(c, a, b Dense[T], m, n, k int) {
		call := mulSubCall{unsafe.Pointer(&c.Val[0]), unsafe.Pointer(&a.Val[0]), unsafe.Pointer(&b.Val[0]), c.Stride, a.Stride, b.Stride, m, n, k}
		kernel(unsafe.Pointer(&call))
	}
}
