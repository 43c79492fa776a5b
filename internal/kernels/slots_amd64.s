//go:build !purego

#include "textflag.h"

// func slotsAVX512(acc *float64, groups *SlotGroup, n int, widths *byte, index *uint16, values *byte, x *float64, tables *slotTable)
//
// Z1 and Z6 take apart slots of width R14. For each group: Z0 = acc[8 chunk ...]; for each of its slots
//	Z2 = the integers, moved to the top of their lanes and shifted down
//	Z4 = x[base + index]
//	Z0 += float64(Z2) * Z4
// and Z0 goes back.
TEXT ·slotsAVX512(SB), NOSPLIT, $0-64
	MOVQ acc+0(FP), DI
	MOVQ groups+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ widths+24(FP), R8
	MOVQ index+32(FP), R9
	MOVQ values+40(FP), R10
	MOVQ x+48(FP), R11
	MOVQ tables+56(FP), R12
	XORL R14, R14 // the width that Z1 and Z6 are for

group:
	MOVL    (SI), AX
	LEAQ    (R11)(AX*8), R13
	MOVWLZX 4(SI), BX
	MOVWLZX 6(SI), DX
	SHLQ    $6, DX
	VMOVUPD (DI)(DX*1), Z0

slot:
	MOVBLZX     (R8), AX
	CMPL        AX, R14
	JNE         width

multiply:
	VPERMB      (R10), Z1, Z2
	VPSRAVQ     Z6, Z2, Z2
	VCVTQQ2PD   Z2, Z2
	VPMOVZXWD   (R9), Y3
	KXNORB      K1, K1, K1
	VPXORQ      Z4, Z4, Z4
	VGATHERDPD  (R13)(Y3*8), K1, Z4
	VMULPD      Z4, Z2, Z2
	VADDPD      Z2, Z0, Z0
	PREFETCHT0  4096(R10)
	PREFETCHT0  2048(R9)
	LEAQ        (R10)(AX*8), R10
	ADDQ        $16, R9
	INCQ        R8
	DECQ        BX
	JNZ         slot

	VMOVUPD Z0, (DI)(DX*1)
	ADDQ    $8, SI
	DECQ    CX
	JNZ     group

	VZEROUPPER
	RET

width:
	MOVL      AX, R14
	MOVQ      AX, R15
	SHLQ      $7, R15
	VMOVDQU64 (R12)(R15*1), Z1
	VMOVDQU64 64(R12)(R15*1), Z6
	JMP       multiply
