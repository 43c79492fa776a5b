//go:build !purego

package kernels

import (
	"golang.org/x/sys/cpu"

	"github.com/mpsolve/mpsolve/internal/kernels/simd"
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

	k.crc = crcSIMD

	k.terms = termsSIMD(termsAVX2)
	k.addTerms = addTermsSIMD(addTermsAVX2)
}

// avx512 is for F, BW, DQ, VL, CD and VBMI of AVX-512; kernels of limbs need IFMA as well.
func (k *Set) avx512() {
	k.take(&simd.Oct)

	k.residual64 = residualGroups

	k.slots = mulSlotsAVX512
	k.symmetric = mulSymmetricAVX512
	k.slotsMulti = octMulti.mulSlots
	k.symmetricMulti = octMulti.mulSymmetric

	k.decode = decodeAVX512
	k.addRows = addRowsAVX512
	k.chunks = mulChunksAVX512

	k.quantize = quantizeVectors
	k.pack = packSlotsOct
	k.packBlocks = packBlocksVectorsOct

	if cpu.X86.HasAVX512IFMA {
		k.takeLimbs(&simd.Oct)
		k.numbers = numberKernels{fixLimbsOct, fixLanesOct, roundLimbsOct, addTimesOct}
	}
}
