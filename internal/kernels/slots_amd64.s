//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The integers of the slot at P, whose width is at R8, as float64 to Z; goes on to
// the next slot. AX: the width, that is the bytes of the slot. K5 is for the
// widths that are whole bytes.
#define INTEGERS(P, Z, bits, done) \
	MOVBLZX    (R8), AX; \
	MOVL       AX, R15; \
	SHLL       $8, R15; \
	PREFETCHT0 2048(P); \
	CMPL       AX, $24; \
	JGT        bits; \
	TESTL      $7, AX; \
	JNZ        bits; \
	VMOVDQU64  (R12)(R15*1), Z29; \
	KMOVQ      slotTable_bytes(R12)(R15*1), K5; \
	VMOVDQA64  Z28, Z; \
	VPERMB     (P), Z29, K5, Z; \
	VSUBPD.BCST slotTable_minus(R12)(R15*1), Z, Z; \
	JMP        done; \
bits: \
	VMOVDQU64  (R12)(R15*1), Z; \
	VPERMB     (P), Z, Z; \
	VPSLLVQ    slotTable_up(R12)(R15*1), Z, Z; \
	VPSRAVQ    slotTable_down(R12)(R15*1), Z, Z; \
	VCVTQQ2PD  Z, Z; \
done: \
	ADDQ       AX, P; \
	INCQ       R8

// x[base + index] to Z for the eight columns at R9, R13 being &x[base].
#define GATHER(Y, K, Z) \
	VPMOVZXWD  (R9), Y; \
	KXNORB     K, K, K; \
	VPXORQ     Z, Z, Z; \
	VGATHERDPD (R13)(Y*8), K, Z; \
	PREFETCHT0 1024(R9); \
	ADDQ       $16, R9

// func slotsAVX512(c *slotCall)
//
// Z0, Z1: the sums of the even and odd slots of the slice, whose values are at R10
// and CX. DX: the rows done.
TEXT ·slotsAVX512(SB), NOSPLIT, $0-8
	MOVQ         c+0(FP), DI
	MOVQ         slotCall_groups(DI), SI
	MOVQ         slotCall_widths(DI), R8
	MOVQ         slotCall_index(DI), R9
	MOVQ         slotCall_values(DI), R10
	MOVQ         R10, CX
	ADDQ         slotCall_stream(DI), CX
	MOVQ         slotCall_x(DI), R11
	MOVQ         slotCall_tables(DI), R12
	VBROADCASTSD slotCall_factor(DI), Z30
	VPBROADCASTQ slotCall_bias(DI), Z31
	MOVQ         $0x4330000000000000, AX
	VPBROADCASTQ AX, Z28 // 2^52
	XORL         DX, DX
	VPXORQ       Z0, Z0, Z0
	VPXORQ       Z1, Z1, Z1

group:
	MOVL    (SI), AX
	MOVWLZX 4(SI), BX
	MOVWLZX 6(SI), R15
	TESTL   $const_Diagonal, R15
	JNZ     diagonal
	LEAQ    (R11)(AX*8), R13
	TESTL   $const_Float, R15
	JNZ     float
	SUBQ    $2, BX
	JLT     gatherRest

gather:
	INTEGERS(R10, Z2, bits1, done1)
	GATHER(Y3, K1, Z4)
	VFMADD231PD Z4, Z2, Z0
	INTEGERS(CX, Z5, bits2, done2)
	GATHER(Y6, K2, Z7)
	VFMADD231PD Z7, Z5, Z1
	SUBQ        $2, BX
	JGE         gather

gatherRest:
	CMPQ        BX, $-1
	JNE         grouped
	INTEGERS(R10, Z2, bits3, done3)
	GATHER(Y3, K1, Z4)
	VFMADD231PD Z4, Z2, Z0
	JMP         grouped

diagonal:
	MOVQ slotCall_offsets(DI), R14
	LEAQ (R14)(AX*4), R14
	MOVQ slotCall_xRow(DI), R13
	LEAQ (R13)(DX*8), R13
	TESTL $const_Float, R15
	JNZ  doubleDiagonal
	SUBQ $2, BX
	JLT  diagonalRest

diagonals:
	INTEGERS(R10, Z2, bits4, done4)
	MOVLQSX     (R14), R15
	VFMADD231PD (R13)(R15*8), Z2, Z0
	INTEGERS(CX, Z5, bits5, done5)
	MOVLQSX     4(R14), R15
	VFMADD231PD (R13)(R15*8), Z5, Z1
	ADDQ        $8, R14
	SUBQ        $2, BX
	JGE         diagonals

diagonalRest:
	CMPQ        BX, $-1
	JNE         grouped
	INTEGERS(R10, Z2, bits6, done6)
	MOVLQSX     (R14), R15
	VFMADD231PD (R13)(R15*8), Z2, Z0
	JMP         grouped

float:
	CMPB        (R8), $64
	JEQ         double
	VCVTPS2PD   (R10), Z2
	GATHER(Y3, K1, Z4)
	VFMADD231PD Z4, Z2, Z0
	ADDQ        $32, R10
	INCQ        R8
	DECQ        BX
	JZ          grouped
	VCVTPS2PD   (CX), Z5
	GATHER(Y6, K2, Z7)
	VFMADD231PD Z7, Z5, Z1
	ADDQ        $32, CX
	INCQ        R8
	DECQ        BX
	JNZ         float

grouped:
	MOVWLZX 6(SI), R15
	ADDQ    $8, SI
	TESTL   $const_Last, R15
	JZ      next

	// Z0 is the sums of R15 rows from DX on, K3 a mask of them.
	VADDPD Z1, Z0, Z0
	TESTL  $const_OneRow, R15
	JNZ    oneRow
	MOVQ   slotCall_rows(DI), R15
	SUBQ   DX, R15
	MOVL   $8, AX
	CMPQ   R15, AX
	CMOVQGT AX, R15

store:
	MOVL  $255, AX
	BZHIL R15, AX, AX
	KMOVB AX, K3
	MOVQ  slotCall_dst(DI), R13
	MOVQ  slotCall_order(DI), R14
	MOVQ  slotCall_exp(DI), AX
	TESTQ R14, R14
	JNZ   ordered
	VMOVAPD Z30, Z2
	TESTQ AX, AX
	JZ    units
	VMOVDQU32.Z (AX)(DX*4), K3, Y2
	VPMOVSXDQ Y2, Z2
	VPADDQ    Z31, Z2, Z2
	VPSLLQ    $52, Z2, Z2

units:
	CMPB        slotCall_add(DI), $0
	JNE         add
	VMULPD      Z2, Z0, Z0
	VMOVUPD     Z0, K3, (R13)(DX*8)
	JMP         stored

add:
	VMOVUPD.Z   (R13)(DX*8), K3, Z3
	VFMADD231PD Z2, Z0, Z3
	VMOVUPD     Z3, K3, (R13)(DX*8)
	JMP         stored

ordered:
	VMOVDQU16.Z (R14)(DX*2), K3, X4
	VPMOVZXWD   X4, Y4
	VMOVAPD     Z30, Z2
	TESTQ       AX, AX
	JZ          orderedUnits
	KMOVB       K3, K4
	VPXORQ      Z2, Z2, Z2
	VPGATHERDD  (AX)(Y4*4), K4, Y2
	VPMOVSXDQ   Y2, Z2
	VPADDQ      Z31, Z2, Z2
	VPSLLQ      $52, Z2, Z2

orderedUnits:
	CMPB        slotCall_add(DI), $0
	JNE         orderedAdd
	VMULPD      Z2, Z0, Z3
	JMP         scatter

orderedAdd:
	KMOVB       K3, K4
	VPXORQ      Z3, Z3, Z3
	VGATHERDPD  (R13)(Y4*8), K4, Z3
	VFMADD231PD Z2, Z0, Z3

scatter:
	VSCATTERDPD Z3, K3, (R13)(Y4*8)

stored:
	ADDQ   R15, DX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1

next:
	DECQ slotCall_count(DI)
	JNZ  group
	VZEROUPPER
	RET

double:
	PREFETCHT0  2048(R10)
	GATHER(Y3, K1, Z4)
	VFMADD231PD (R10), Z4, Z0
	ADDQ        $64, R10
	INCQ        R8
	DECQ        BX
	JZ          grouped
	PREFETCHT0  2048(CX)
	GATHER(Y6, K2, Z7)
	VFMADD231PD (CX), Z7, Z1
	ADDQ        $64, CX
	INCQ        R8
	DECQ        BX
	JNZ         double
	JMP         grouped

doubleDiagonal:
	ADDQ        BX, R8

doubleDiagonals:
	PREFETCHT0  2048(R10)
	MOVLQSX     (R14), R15
	VMOVUPD     (R10), Z2
	VFMADD231PD (R13)(R15*8), Z2, Z0
	ADDQ        $64, R10
	DECQ        BX
	JZ          grouped
	PREFETCHT0  2048(CX)
	MOVLQSX     4(R14), R15
	VMOVUPD     (CX), Z5
	VFMADD231PD (R13)(R15*8), Z5, Z1
	ADDQ        $64, CX
	ADDQ        $8, R14
	DECQ        BX
	JNZ         doubleDiagonals
	JMP         grouped

oneRow:
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPD        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPD        X1, X0, X0
	VPERMILPD     $1, X0, X1
	VADDSD        X1, X0, X0
	MOVL          $1, R15
	JMP           store
