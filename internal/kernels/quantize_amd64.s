//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Eight integers, or those of the mask K1: m in Z1, their bits in X2.
#define QUANTIZE \
	VMULPD    Z30, Z0, Z0; \
	VCVTPD2QQ Z0, Z1; \
	VPSRAQ    $63, Z1, Z2; \
	VPXORQ    Z1, Z2, Z2; \
	VPLZCNTQ  Z2, Z2; \
	VPSUBQ    Z2, Z31, Z2; \
	VPMOVQB   Z2, X2; \
	VPTESTNMQ Z1, Z1, K2

// func quantizeAVX512(m *int64, width *uint8, v *float64, n int, scale float64) (zeros int)
TEXT ·quantizeAVX512(SB), NOSPLIT, $0-48
	MOVQ         m+0(FP), DI
	MOVQ         width+8(FP), R8
	MOVQ         v+16(FP), SI
	MOVQ         n+24(FP), CX
	VBROADCASTSD scale+32(FP), Z30
	MOVL         $65, AX
	VPBROADCASTQ AX, Z31
	XORL         DX, DX
	SUBQ         $8, CX
	JLT          rest

eight:
	VMOVUPD   (SI), Z0
	PREFETCHT0 1024(SI)
	QUANTIZE
	VMOVDQU64 Z1, (DI)
	VMOVQ     X2, (R8)
	KMOVB     K2, AX
	POPCNTL   AX, AX
	ADDQ      AX, DX
	ADDQ      $64, SI
	ADDQ      $64, DI
	ADDQ      $8, R8
	SUBQ      $8, CX
	JGE       eight

rest:
	ADDQ       $8, CX
	JZ         done
	MOVL       $255, AX
	BZHIL      CX, AX, AX
	KMOVW      AX, K1
	VMOVUPD.Z  (SI), K1, Z0
	QUANTIZE
	VMOVDQU64  Z1, K1, (DI)
	VMOVDQU8   X2, K1, (R8)
	KANDB      K1, K2, K2
	KMOVB      K2, AX
	POPCNTL    AX, AX
	ADDQ       AX, DX

done:
	MOVQ DX, zeros+40(FP)
	VZEROUPPER
	RET

// func packAVX512(dst *byte, m *int64, index *[Lanes]int64, size, w int, t *packTable)
TEXT ·packAVX512(SB), NOSPLIT, $0-48
	MOVQ         dst+0(FP), DI
	MOVQ         m+8(FP), SI
	MOVQ         index+16(FP), AX
	MOVQ         size+24(FP), CX
	MOVQ         w+32(FP), DX
	MOVQ         t+40(FP), R8
	VMOVDQU64    (AX), Z20
	VPMOVQ2M     Z20, K1
	KNOTB        K1, K1
	VMOVDQU64    packTable_up(R8), Z21
	VMOVDQU64    packTable_even(R8), Z22
	VMOVDQU64    packTable_odd(R8), Z23
	VPBROADCASTQ packTable_bits(R8), Z24
	VPBROADCASTQ packTable_flip(R8), Z25
	KMOVQ        packTable_hasEven(R8), K3
	KMOVQ        packTable_hasOdd(R8), K4
	KMOVQ        packTable_bytes(R8), K5

next:
	KMOVB      K1, K2
	VPXORQ     Z0, Z0, Z0
	VPGATHERQQ (SI)(Z20*8), K2, Z0
	VPANDQ     Z24, Z0, Z0
	VPXORQ     Z25, Z0, Z0
	VPSLLVQ    Z21, Z0, Z0
	VPERMB.Z   Z0, Z22, K3, Z1
	VPERMB.Z   Z0, Z23, K4, Z2
	VPORQ      Z1, Z2, Z1
	VMOVDQU8   Z1, K5, (DI)
	ADDQ       DX, DI
	ADDQ       $8, SI
	DECQ       CX
	JNZ        next
	VZEROUPPER
	RET
