//go:build !purego

#include "textflag.h"

// func csrAVX512(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)
//
// dst[i] = sum of val[k] x[col[k]], rowPtr[i] <= k < rowPtr[i+1], for i < n:
// sixteen elements at a time on two sums, then eight, then a masked rest.
TEXT ·csrAVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ rowPtr+16(FP), SI
	MOVQ col+24(FP), R8
	MOVQ val+32(FP), R9
	MOVQ x+40(FP), R10
	MOVQ (SI), AX

row:
	TESTQ      CX, CX
	JZ         done
	MOVQ       8(SI), BX
	VPXORQ     Z0, Z0, Z0
	VPXORQ     Z1, Z1, Z1
	PREFETCHT0 1024(R9)(AX*8)
	PREFETCHT0 512(R8)(AX*4)

sixteen:
	LEAQ        16(AX), DX
	CMPQ        DX, BX
	JGT         eight
	PREFETCHT0  1024(R9)(AX*8)
	PREFETCHT0  1088(R9)(AX*8)
	PREFETCHT0  512(R8)(AX*4)
	VMOVDQU     (R8)(AX*4), Y2
	VMOVDQU     32(R8)(AX*4), Y3
	KXNORB      K1, K1, K1
	KXNORB      K2, K2, K2
	VPXORQ      Z4, Z4, Z4
	VPXORQ      Z5, Z5, Z5
	VGATHERDPD  (R10)(Y2*8), K1, Z4
	VGATHERDPD  (R10)(Y3*8), K2, Z5
	VFMADD231PD (R9)(AX*8), Z4, Z0
	VFMADD231PD 64(R9)(AX*8), Z5, Z1
	MOVQ        DX, AX
	JMP         sixteen

eight:
	LEAQ        8(AX), DX
	CMPQ        DX, BX
	JGT         rest
	VMOVDQU     (R8)(AX*4), Y2
	KXNORB      K1, K1, K1
	VPXORQ      Z4, Z4, Z4
	VGATHERDPD  (R10)(Y2*8), K1, Z4
	VFMADD231PD (R9)(AX*8), Z4, Z0
	MOVQ        DX, AX

rest:
	MOVQ        BX, R11
	SUBQ        AX, R11
	JZ          sum
	MOVL        $255, R12
	BZHIL       R11, R12, R12
	KMOVB       R12, K1
	VMOVDQU32.Z (R8)(AX*4), K1, Y2
	VMOVUPD.Z   (R9)(AX*8), K1, Z3
	VPXORQ      Z4, Z4, Z4
	VGATHERDPD  (R10)(Y2*8), K1, Z4
	VFMADD231PD Z3, Z4, Z1

sum:
	VADDPD        Z1, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPD        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPD        X1, X0, X0
	VPERMILPD     $1, X0, X1
	VADDSD        X1, X0, X0
	VMOVSD        X0, (DI)
	MOVQ          BX, AX
	ADDQ          $8, SI
	ADDQ          $8, DI
	DECQ          CX
	JMP           row

done:
	VZEROUPPER
	RET
