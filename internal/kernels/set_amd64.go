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
	v := &k.vector
	v.dot, v.dot4, v.axpy, v.axpy4, v.axpyDot = simd.DotOct, simd.Dot4Oct, simd.AxpyOct, simd.Axpy4Oct, simd.AxpyDotOct
	v.xpay, v.scale, v.step, v.mul, v.relax = simd.XpayOct, simd.ScaleOct, simd.StepOct, simd.MulOct, simd.RelaxOct
	v.copy, v.scaleTo, v.add, v.triad = simd.CopyToOct, simd.ScaleToOct, simd.AddOct, simd.TriadOct
	d := &k.vectorDD
	d.dot, d.dot2, d.axpy, d.axpy2 = simd.DotDDOct, simd.Dot2DDOct, simd.AxpyDDOct, simd.Axpy2DDOct
	d.axpyDot, d.xpay, d.scale, d.step = simd.AxpyDotDDOct, simd.XpayDDOct, simd.ScaleDDOct, simd.StepDDOct
	k.mixed.stepInto, k.mixed.xpayMixed = simd.StepIntoOct, simd.XpayMixedOct
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
