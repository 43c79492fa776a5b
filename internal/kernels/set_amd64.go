//go:build !purego

package kernels

import "golang.org/x/sys/cpu"

var levels = []level{
	{"avx2", hasAVX2, (*Set).avx2},
	{"avx512", hasAVX2 && hasAVX512, (*Set).avx512},
}

var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL &&
		cpu.X86.HasAVX512CD && cpu.X86.HasAVX512VBMI && cpu.X86.HasPOPCNT
)

// avx2 is for AVX2 with FMA and BMI2.
func (k *Set) avx2() {
	k.vector = quadVector
	k.mixed = mixedKernels{stepInto: stepIntoAVX2, xpayMixed: xpayMixedAVX2}

	k.csr64 = csrQuad[float64](csrHere)
	k.csr32 = csrQuad[float32](csrHere)

	k.slots = mulSlotsQuad
	k.fastSlots = true
	k.symmetric = mulSymmetricQuad
	k.csr64Multi = csrMultiSIMD[float64](csr64Multi2Quad, csr64Multi4Quad, csr64Multi8Quad)
	k.csr32Multi = csrMultiSIMD[float32](csr32Multi2Quad, csr32Multi4Quad, csr32Multi8Quad)
	k.slotsMulti = quadMulti.mulSlots
	k.symmetricMulti = quadMulti.mulSymmetric

	k.decode = decodeQuad
	k.addRows = addRowsWordsQuad
	k.chunks = mulChunksAVX2

	k.terms = termsSIMD(termsAVX2)
	k.addTerms = addTermsSIMD(addTermsAVX2)
	k.mulSub = mulSubSIMD(mulSub256)

	k.dot32 = dot32SIMD(dot32AVX2)
	k.dotMixed = dot32SIMD(dotMixedAVX2)
	k.mulAdds = mulAddsSIMD(1, mulAddsAVX2, mulAddsMixedAVX2, mulAdds32AVX2)
	k.fold = foldSIMD(foldAVX2)
}

// avx512 is for F, BW, DQ, VL, CD and VBMI of AVX-512.
func (k *Set) avx512() {
	k.vector = vectorKernels{
		dot: dotOct, dot4: dot4Oct, axpy: axpyOct, axpy4: axpy4Oct, axpyDot: axpyDotOct, xpay: xpayOct,
		scale: scaleOct, step: stepOct, mul: mulOct, relax: relaxOct,
	}
	k.mixed = mixedKernels{stepInto: stepIntoAVX512, xpayMixed: xpayMixedAVX512}

	k.residual64 = residualGroups

	k.slots = mulSlotsAVX512
	k.symmetric = mulSymmetricAVX512
	k.csr64Multi = csrMultiSIMD[float64](csr64Multi2Oct, csr64Multi4Oct, csr64Multi8Oct)
	k.csr32Multi = csrMultiSIMD[float32](csr32Multi2Oct, csr32Multi4Oct, csr32Multi8Oct)
	k.slotsMulti = octMulti.mulSlots
	k.symmetricMulti = octMulti.mulSymmetric

	k.decode = decodeAVX512
	k.addRows = addRowsAVX512
	k.chunks = mulChunksAVX512

	k.quantize = quantizeVectors
	k.pack = packVectors
	k.mulSub = mulSubSIMD(mulSub512)

	k.dot32 = dot32SIMD(dot32AVX512)
	k.dotMixed = dot32SIMD(dotMixedAVX512)
	k.ell64 = ellSIMD[float64, float64](ellAVX512)
	k.ell32 = ellSIMD[float32, float32](ell32AVX512)
	k.ellMixed = ellSIMD[float32, float64](ellMixedAVX512)
	k.mulAdds = mulAddsSIMD(4, mulAddsAVX512, mulAddsMixedAVX512, mulAdds32AVX512)
	k.fold = foldSIMD(foldAVX512)
}
