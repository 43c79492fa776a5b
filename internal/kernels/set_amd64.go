//go:build !purego

package kernels

import (
	"golang.org/x/sys/cpu"
)

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
	k.quad()

	k.chunks = mulChunksAVX2
	k.crc = crcSIMD

	k.terms = termsSIMD(termsAVX2)
	k.addTerms = addTermsSIMD(addTermsAVX2)
	k.mulSub = mulSubSIMD(mulSub256)
}

// avx512 is for F, BW, DQ, VL, CD and VBMI of AVX-512; kernels of limbs need IFMA as well.
func (k *Set) avx512() {
	k.vector = vectorKernels{
		dot: dotOct, dot4: dot4Oct, axpy: axpyOct, axpy4: axpy4Oct, axpyDot: axpyDotOct, xpay: xpayOct,
		scale: scaleOct, step: stepOct, mul: mulOct, relax: relaxOct,
		copy: copyToOct, scaleTo: scaleToOct, add: addOct, triad: triadOct,
	}
	k.vectorDD = ddVectorKernels{
		dot: dotDDOct, dot2: dot2DDOct, axpy: axpyDDOct, axpy2: axpy2DDOct,
		axpyDot: axpyDotDDOct, xpay: xpayDDOct, scale: scaleDDOct, step: stepDDOct,
	}
	k.mixed = mixedKernels{stepInto: stepIntoOct, xpayMixed: xpayMixedOct}
	k.packed = packedKernels{dotFloatsOct, dotShortsOct, axpyFloatsOct, axpyShortsOct}

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
	k.pack = packSlotsOct
	k.packBlocks = packBlocksVectorsOct
	k.mulSub = mulSubSIMD(mulSub512)

	k.dot32 = dot32Oct
	k.dotMixed = dotMixedOct
	k.mulAdds = mulAddsKernels{mulAddsOct, mulAddsMixedOct, mulAdds32Oct}
	k.fold = foldOct

	if cpu.X86.HasAVX512IFMA {
		k.limbs = limbKernels{
			mul:  limbsSIMD(1, [...]limbFunc{mulLimbs3Oct, mulLimbs5Oct, mulLimbs9Oct, mulLimbs17Oct, mulLimbs33Oct}),
			dot:  limbsSIMD(Lanes, [...]limbFunc{dotLimbs3Oct, dotLimbs5Oct, dotLimbs9Oct, dotLimbs17Oct, dotLimbs33Oct}),
			rows: rowLimbsSIMD([...]rowLimbsFunc{rowLimbs3Oct, rowLimbs5Oct, rowLimbs9Oct, rowLimbs17Oct, rowLimbs33Oct}),
		}
	}
	k.residues = dotResiduesOct
}
