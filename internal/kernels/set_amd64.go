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

	k.chunks = mulChunksAVX2
	k.crc = crcSIMD

	k.terms = termsSIMD(termsAVX2)
	k.addTerms = addTermsSIMD(addTermsAVX2)
	k.mulSub = mulSubSIMD(mulSub256)
}

// avx512 is for F, BW, DQ, VL, CD and VBMI of AVX-512; kernels of limbs need IFMA as well.
func (k *Set) avx512() {
	k.vector = vectorKernels{
		dot: simd.DotOct, dot4: simd.Dot4Oct, axpy: simd.AxpyOct, axpy4: simd.Axpy4Oct, axpyDot: simd.AxpyDotOct, xpay: simd.XpayOct,
		scale: simd.ScaleOct, step: simd.StepOct, mul: simd.MulOct, relax: simd.RelaxOct,
		copy: simd.CopyToOct, scaleTo: simd.ScaleToOct, add: simd.AddOct, triad: simd.TriadOct,
	}
	k.vectorDD = ddVectorKernels{
		dot: simd.DotDDOct, dot2: simd.Dot2DDOct, axpy: simd.AxpyDDOct, axpy2: simd.Axpy2DDOct,
		axpyDot: simd.AxpyDotDDOct, xpay: simd.XpayDDOct, scale: simd.ScaleDDOct, step: simd.StepDDOct,
	}
	k.mixed = mixedKernels{stepInto: simd.StepIntoOct, xpayMixed: simd.XpayMixedOct}
	k.packed = packedKernels{simd.DotFloatsOct, simd.DotShortsOct, simd.AxpyFloatsOct, simd.AxpyShortsOct}

	k.residual64 = residualGroups

	k.slots = mulSlotsAVX512
	k.symmetric = mulSymmetricAVX512
	k.csr64Multi = csrMultiSIMD[float64](simd.Csr64Multi2Oct, simd.Csr64Multi4Oct, simd.Csr64Multi8Oct)
	k.csr32Multi = csrMultiSIMD[float32](simd.Csr32Multi2Oct, simd.Csr32Multi4Oct, simd.Csr32Multi8Oct)
	k.slotsMulti = octMulti.mulSlots
	k.symmetricMulti = octMulti.mulSymmetric

	k.decode = decodeAVX512
	k.addRows = addRowsAVX512
	k.chunks = mulChunksAVX512

	k.quantize = quantizeVectors
	k.pack = packSlotsOct
	k.packBlocks = packBlocksVectorsOct
	k.mulSub = mulSubSIMD(mulSub512)

	k.dot32 = simd.Dot32Oct
	k.dotMixed = simd.DotMixedOct
	k.mulAdds = mulAddsKernels{simd.MulAddsOct, simd.MulAddsMixedOct, simd.MulAdds32Oct}
	k.fold = simd.FoldOct

	if cpu.X86.HasAVX512IFMA {
		k.limbs = limbKernels{
			mul:  limbsSIMD(1, [...]limbFunc{simd.MulLimbs3Oct, simd.MulLimbs5Oct, simd.MulLimbs9Oct, simd.MulLimbs17Oct, simd.MulLimbs33Oct}),
			dot:  limbsSIMD(Lanes, [...]limbFunc{simd.DotLimbs3Oct, simd.DotLimbs5Oct, simd.DotLimbs9Oct, simd.DotLimbs17Oct, simd.DotLimbs33Oct}),
			rows: rowLimbsSIMD([...]rowLimbsFunc{simd.RowLimbs3Oct, simd.RowLimbs5Oct, simd.RowLimbs9Oct, simd.RowLimbs17Oct, simd.RowLimbs33Oct}),
		}
	}
	k.residues = simd.DotResiduesOct
}
