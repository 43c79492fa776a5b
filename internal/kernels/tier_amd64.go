//go:build !purego

package kernels

import "golang.org/x/sys/cpu"

func detect() Tier {
	x := cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return Portable
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512CD && x.HasAVX512VBMI && x.HasPOPCNT:
		return AVX512
	}
	return AVX2
}
