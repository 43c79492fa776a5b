//go:build !purego

#include "textflag.h"

// The residuals of eight rows at a time, a row in each lane, as dd.DD.AddProd adds products. A row
// that has ended keeps its sum.
//
//	DI  r		SI  b		DX  rowPtr
//	R8  col		R9  val		R10 x
//	CX  groups left
//	Z0, Z1  the sums, high and low
//	Z2, Z3  the next element of each row, and its end
//	K1  rows with elements left

// func residualAVX512(r, b *float64, groups int, rowPtr *int64, col *int32, val, x *float64)
TEXT ·residualAVX512(SB), NOSPLIT, $0-56
	MOVQ r+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ groups+16(FP), CX
	MOVQ rowPtr+24(FP), DX
	MOVQ col+32(FP), R8
	MOVQ val+40(FP), R9
	MOVQ x+48(FP), R10
	MOVQ $1, AX
	VPBROADCASTQ AX, Z16
	SHLQ $63, AX
	VPBROADCASTQ AX, Z17

group:
	VMOVUPD   (SI), Z0
	VPXORQ    Z1, Z1, Z1
	VMOVDQU64 (DX), Z2
	VMOVDQU64 8(DX), Z3
	VPCMPQ    $1, Z3, Z2, K1
	KORTESTB  K1, K1
	JZ        done

next:
	KMOVB      K1, K2
	VPXORQ     Z4, Z4, Z4
	VPGATHERQD (R8)(Z2*4), K2, Y4
	KMOVB      K1, K3
	VPXORQ     Z5, Z5, Z5
	VGATHERQPD (R9)(Z2*8), K3, Z5
	KMOVB      K1, K4
	VPXORQ     Z6, Z6, Z6
	VGATHERDPD (R10)(Y4*8), K4, Z6
	VPADDQ     Z16, Z2, Z2
	VPXORQ     Z17, Z5, Z5      // a = -v
	VMULPD     Z6, Z5, Z7       // p = a x
	VFMSUB213PD Z7, Z6, Z5      // e = a x - p
	VADDPD     Z7, Z0, Z8       // s = hi + p
	VSUBPD     Z0, Z8, Z9       // t = s - hi
	VSUBPD     Z9, Z8, Z10      // s - t
	VSUBPD     Z10, Z0, Z10     // hi - (s - t)
	VSUBPD     Z9, Z7, Z9       // p - t
	VADDPD     Z9, Z10, Z9      // f
	VADDPD     Z9, Z5, Z9       // e + f
	VADDPD     Z9, Z1, Z9       // lo + (e + f)
	VADDPD     Z9, Z8, K1, Z0
	VSUBPD     Z8, Z0, Z10
	VSUBPD     Z10, Z9, K1, Z1
	VPCMPQ     $1, Z3, Z2, K1
	KORTESTB   K1, K1
	JNZ        next

done:
	VADDPD  Z1, Z0, Z0
	VMOVUPD Z0, (DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	ADDQ    $64, DX
	DECQ    CX
	JNZ     group
	VZEROUPPER
	RET
