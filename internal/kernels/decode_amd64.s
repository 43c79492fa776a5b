//go:build !purego

#include "textflag.h"

// Registers of the three loops: DI dst, SI src, CX numbers left, DX bytes of
// eight words, Z1 and K1 the table, K2 the bytes to load, K3 the numbers to store.

#define START \
	MOVQ      dst+0(FP), DI         \
	MOVQ      n+8(FP), CX           \
	MOVQ      src+16(FP), SI        \
	MOVQ      bytes+24(FP), BX      \
	MOVQ      table+32(FP), R8      \
	VMOVDQU64 (R8), Z1              \
	KMOVQ     64(R8), K1            \
	LEAQ      (BX*8), DX            \
	MOVQ      $-1, R9               \
	BZHIQ     DX, R9, R10           \
	KMOVQ     R10, K2               \
	KXNORB    K3, K3, K3

// The masks of the last numbers, fewer than eight.
#define LAST \
	IMULQ CX, BX       \
	BZHIQ BX, R9, R10  \
	KMOVQ R10, K2      \
	BZHIQ CX, R9, R10  \
	KMOVB R10, K3

// Z2 = eight words at the top of their lanes.
#define LOAD \
	PREFETCHT0  1024(SI)       \
	VMOVDQU8.Z  (SI), K2, Z2   \
	VPERMB.Z    Z2, Z1, K1, Z2

#define STORE(values) \
	VMOVUPD values, K3, (DI) \
	ADDQ    DX, SI           \
	ADDQ    $64, DI

// func decodeBitsAVX512(dst *float64, n int, src *byte, bytes int, table *wordTable, f *FloatBits)
TEXT ·decodeBitsAVX512(SB), NOSPLIT, $0-48
	START
	MOVQ         f+40(FP), R8
	VPBROADCASTQ (R8), Z4
	VPBROADCASTQ 8(R8), Z5
	VPBROADCASTQ 16(R8), Z6
	VPBROADCASTQ 24(R8), Z7
	SUBQ         $8, CX
	JL           last

eight:
	LOAD
	VPSLLVQ    Z4, Z2, Z3
	VPSRLVQ    Z5, Z3, Z3
	VPADDQ     Z6, Z3, Z3
	VPTERNLOGQ $0xf8, Z7, Z2, Z3 // Z3 | Z2 & Z7
	STORE(Z3)
	SUBQ       $8, CX
	JGE        eight

last:
	ADDQ $8, CX
	JLE  done
	LAST
	XORL CX, CX
	JMP  eight

done:
	VZEROUPPER
	RET

// func decodeFloat32AVX512(dst *float64, n int, src *byte, bytes int, table *wordTable)
TEXT ·decodeFloat32AVX512(SB), NOSPLIT, $0-40
	START
	SUBQ $8, CX
	JL   last

eight:
	LOAD
	VCVTPS2PD Y2, Z3
	STORE(Z3)
	SUBQ      $8, CX
	JGE       eight

last:
	ADDQ $8, CX
	JLE  done
	LAST
	XORL CX, CX
	JMP  eight

done:
	VZEROUPPER
	RET

// func decodeFixedAVX512(dst *float64, n int, src *byte, bytes int, table *wordTable, quantum float64)
TEXT ·decodeFixedAVX512(SB), NOSPLIT, $0-48
	START
	VBROADCASTSD quantum+40(FP), Z5
	MOVQ         $64, AX
	SUBQ         DX, AX
	VPBROADCASTQ AX, Z4
	SUBQ         $8, CX
	JL           last

eight:
	LOAD
	VPSRAVQ   Z4, Z2, Z2
	VCVTQQ2PD Z2, Z2
	VMULPD    Z5, Z2, Z3
	STORE(Z3)
	SUBQ      $8, CX
	JGE       eight

last:
	ADDQ $8, CX
	JLE  done
	LAST
	XORL CX, CX
	JMP  eight

done:
	VZEROUPPER
	RET
