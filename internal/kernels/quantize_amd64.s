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
