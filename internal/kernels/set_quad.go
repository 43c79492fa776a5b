//go:build !purego && (amd64 || arm64)

package kernels

import "unsafe"

// quad takes the kernels of internal/kernels/c in vectors of four lanes.
func (k *Set) quad() {
	k.vector = vectorKernels{
		dot: dotQuad, dot4: dot4Quad, axpy: axpyQuad, axpy4: axpy4Quad, axpyDot: axpyDotQuad, xpay: xpayQuad,
		scale: scaleQuad, step: stepQuad, mul: mulQuad, relax: relaxQuad,
		copy: copyToQuad, scaleTo: scaleToQuad, add: addQuad, triad: triadQuad,
	}
	k.vectorDD = ddVectorKernels{
		dot: dotDDQuad, dot2: dot2DDQuad, axpy: axpyDDQuad, axpy2: axpy2DDQuad,
		axpyDot: axpyDotDDQuad, xpay: xpayDDQuad, scale: scaleDDQuad, step: stepDDQuad,
	}
	k.mixed = mixedKernels{stepInto: stepIntoQuad, xpayMixed: xpayMixedQuad}
	k.packed = packedKernels{dotFloatsQuad, dotShortsQuad, axpyFloatsQuad, axpyShortsQuad}

	k.csr64 = csrQuad[float64](csrHere)
	k.csr32 = csrQuad[float32](csrHere)

	k.slots = mulSlotsQuad
	k.fastSlots = true
	k.symmetric = mulSymmetricQuad

	k.csr64Multi = csrMultiSIMD[float64](csr64Multi2Quad, csr64Multi4Quad, csr64Multi8Quad)
	k.csr32Multi = csrMultiSIMD[float32](csr32Multi2Quad, csr32Multi4Quad, csr32Multi8Quad)
	k.sell8Multi = filledMultiSIMD(sell8Multi2Quad, sell8Multi4Quad, sell8Multi8Quad)
	k.bcrsMulti = filledMultiSIMD(bcrsMulti2Quad, bcrsMulti4Quad, bcrsMulti8Quad)
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

	k.residues = dotResiduesQuad
	k.dot32 = dot32Quad
	k.dotMixed = dotMixedQuad
	k.ell64 = ellQuad
	k.ell32 = ell32Quad
	k.ellMixed = ellMixedQuad
	k.coo = cooSIMD(csrHere)
	k.mulAdds = mulAddsKernels{mulAddsQuad, mulAddsMixedQuad, mulAdds32Quad}
	k.fold = foldQuad
	k.offsets = offsetsSIMD
	k.columns = columnsSIMD

	k.residual64 = csrResidualDDQuad
	k.sell8 = sell8SIMD(sell8Quad)
	k.bcrs = bcrsMulVecQuad
	k.bcrsT = bcrsMulVecTQuad
	k.csrDD = csrDDSIMD(csrHere)
	k.slotsDD = mulSlotsDDSIMD(unsafe.Pointer(&pairTables), slotsDDQuad, farSlotsDDQuad)
	k.sell8DD = sell8DDSIMD(sell8DDQuad, sell8DDNormalQuad)
	k.bcrsDD = bcrsMulVecDDQuad
	k.bcrsTDD = bcrsMulVecTDDQuad
	k.limbs = limbKernels{
		mul:  limbsSIMD(1, [...]limbFunc{mulLimbs3Quad, mulLimbs5Quad, mulLimbs9Quad, mulLimbs17Quad, mulLimbs33Quad}),
		dot:  limbsSIMD(Lanes, [...]limbFunc{dotLimbs3Quad, dotLimbs5Quad, dotLimbs9Quad, dotLimbs17Quad, dotLimbs33Quad}),
		rows: rowLimbsSIMD([...]rowLimbsFunc{rowLimbs3Quad, rowLimbs5Quad, rowLimbs9Quad, rowLimbs17Quad, rowLimbs33Quad}),
	}
}
