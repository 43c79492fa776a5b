//go:build !purego && (amd64 || arm64)

package kernels

import (
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/kernels/simd"
)

// quad takes the kernels of internal/kernels/c with vectors of four lanes.
func (k *Set) quad() {
	k.vector = vectorKernels{
		dot: simd.DotQuad, dot4: simd.Dot4Quad, axpy: simd.AxpyQuad, axpy4: simd.Axpy4Quad, axpyDot: simd.AxpyDotQuad, xpay: simd.XpayQuad,
		scale: simd.ScaleQuad, step: simd.StepQuad, mul: simd.MulQuad, relax: simd.RelaxQuad,
		copy: simd.CopyToQuad, scaleTo: simd.ScaleToQuad, add: simd.AddQuad, triad: simd.TriadQuad,
	}
	k.vectorDD = ddVectorKernels{
		dot: simd.DotDDQuad, dot2: simd.Dot2DDQuad, axpy: simd.AxpyDDQuad, axpy2: simd.Axpy2DDQuad,
		axpyDot: simd.AxpyDotDDQuad, xpay: simd.XpayDDQuad, scale: simd.ScaleDDQuad, step: simd.StepDDQuad,
	}
	k.mixed = mixedKernels{stepInto: simd.StepIntoQuad, xpayMixed: simd.XpayMixedQuad}
	k.packed = packedKernels{simd.DotFloatsQuad, simd.DotShortsQuad, simd.AxpyFloatsQuad, simd.AxpyShortsQuad}

	k.csr64 = csrQuad[float64](csrHere)
	k.csr32 = csrQuad[float32](csrHere)

	k.slots = mulSlotsQuad
	k.fastSlots = true
	k.symmetric = mulSymmetricQuad

	k.csr64Multi = csrMultiSIMD[float64](simd.Csr64Multi2Quad, simd.Csr64Multi4Quad, simd.Csr64Multi8Quad)
	k.csr32Multi = csrMultiSIMD[float32](simd.Csr32Multi2Quad, simd.Csr32Multi4Quad, simd.Csr32Multi8Quad)
	k.sell8Multi = filledMultiSIMD(simd.Sell8Multi2Quad, simd.Sell8Multi4Quad, simd.Sell8Multi8Quad)
	k.bcrsMulti = filledMultiSIMD(simd.BcrsMulti2Quad, simd.BcrsMulti4Quad, simd.BcrsMulti8Quad)
	k.chunksMulti = mulChunksMultiQuad
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

	k.residues = simd.DotResiduesQuad
	k.dot32 = simd.Dot32Quad
	k.dotMixed = simd.DotMixedQuad
	k.ell64 = simd.EllQuad
	k.ell32 = simd.Ell32Quad
	k.ellMixed = simd.EllMixedQuad
	k.coo = cooSIMD(csrHere)
	k.mulAdds = mulAddsKernels{simd.MulAddsQuad, simd.MulAddsMixedQuad, simd.MulAdds32Quad}
	k.fold = simd.FoldQuad
	k.offsets = offsetsSIMD
	k.columns = columnsSIMD

	k.residual64 = csrResidualDDQuad
	k.sell8 = sell8SIMD(simd.Sell8Quad)
	k.bcrs = bcrsMulVecQuad
	k.bcrsT = bcrsMulVecTQuad
	k.csrDD = csrDDSIMD(csrHere)
	k.slotsDD = mulSlotsDDSIMD(unsafe.Pointer(&pairTables), simd.SlotsDDQuad, simd.FarSlotsDDQuad)
	k.sell8DD = sell8DDSIMD(simd.Sell8DDQuad, simd.Sell8DDNormalQuad)
	k.bcrsDD = bcrsMulVecDDQuad
	k.bcrsTDD = bcrsMulVecTDDQuad
	k.limbs = limbKernels{
		mul:  limbsSIMD(1, [...]limbFunc{simd.MulLimbs3Quad, simd.MulLimbs5Quad, simd.MulLimbs9Quad, simd.MulLimbs17Quad, simd.MulLimbs33Quad}),
		dot:  limbsSIMD(Lanes, [...]limbFunc{simd.DotLimbs3Quad, simd.DotLimbs5Quad, simd.DotLimbs9Quad, simd.DotLimbs17Quad, simd.DotLimbs33Quad}),
		rows: rowLimbsSIMD([...]rowLimbsFunc{simd.RowLimbs3Quad, simd.RowLimbs5Quad, simd.RowLimbs9Quad, simd.RowLimbs17Quad, simd.RowLimbs33Quad}),
	}
}
