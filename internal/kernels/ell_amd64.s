//go:build !purego

#include "textflag.h"

// Sixteen rows a turn, an element of each at a time. A value has SIZE bytes.
//
//	DI  dst		CX  rows left	R8  width	R9  stride
//	SI  col		BX  val		R10  x
//	R11  col and R12 val of the elements, DX those left
#define ROWS(SIZE, ELEMENTS, STORE) \
	MOVQ dst+0(FP), DI     \
	MOVQ n+8(FP), CX       \
	MOVQ width+16(FP), R8  \
	MOVQ stride+24(FP), R9 \
	MOVQ col+32(FP), SI    \
	MOVQ val+40(FP), BX    \
	MOVQ x+48(FP), R10     \
rows:                          \
	MOVQ   SI, R11         \
	MOVQ   BX, R12         \
	MOVQ   R8, DX          \
	VPXORQ Z0, Z0, Z0      \
	VPXORQ Z1, Z1, Z1      \
elements:                      \
	ELEMENTS               \
	LEAQ (R11)(R9*4), R11  \
	LEAQ (R12)(R9*SIZE), R12 \
	DECQ DX                \
	JNZ  elements          \
	STORE                  \
	ADDQ $(16*4), SI       \
	ADDQ $(16*SIZE), BX    \
	ADDQ $(16*SIZE), DI    \
	SUBQ $16, CX           \
	JNZ  rows              \
	VZEROUPPER             \
	RET

// SUM += eight products in float64; their number in the turn is OFF.
#define EIGHT_64(OFF, SUM) \
	VMOVDQU    (OFF*4)(R11), Y9     \
	KXNORB     K1, K1, K1           \
	VPXORQ     Z8, Z8, Z8           \
	VGATHERDPD (R10)(Y9*8), K1, Z8  \
	VMULPD     (OFF*8)(R12), Z8, Z8 \
	VADDPD     Z8, SUM, SUM

// The same of float32 values: the products are exact.
#define EIGHT_MIXED(OFF, SUM) \
	VMOVDQU     (OFF*4)(R11), Y9    \
	KXNORB      K1, K1, K1          \
	VPXORQ      Z8, Z8, Z8          \
	VGATHERDPS  (R10)(Y9*4), K1, Y8 \
	VCVTPS2PD   Y8, Z8              \
	VCVTPS2PD   (OFF*4)(R12), Z10   \
	VFMADD231PD Z10, Z8, SUM

#define SIXTEEN_64 \
	EIGHT_64(0, Z0) \
	EIGHT_64(8, Z1)

#define SIXTEEN_MIXED \
	EIGHT_MIXED(0, Z0) \
	EIGHT_MIXED(8, Z1)

#define SIXTEEN_32 \
	VMOVDQU32  (R11), Z9           \
	KXNORW     K1, K1, K1          \
	VPXORQ     Z8, Z8, Z8          \
	VGATHERDPS (R10)(Z9*4), K1, Z8 \
	VMULPS     (R12), Z8, Z8       \
	VADDPS     Z8, Z0, Z0

#define STORE_64 \
	VMOVUPD Z0, (DI) \
	VMOVUPD Z1, 64(DI)

#define STORE_MIXED \
	VCVTPD2PS Z0, Y0 \
	VCVTPD2PS Z1, Y1 \
	VMOVUPS   Y0, (DI) \
	VMOVUPS   Y1, 32(DI)

#define STORE_32 \
	VMOVUPS Z0, (DI)

// func ellAVX512(dst *float64, n, width, stride int, col *int32, val, x *float64)
TEXT ·ellAVX512(SB), NOSPLIT, $0-56
	ROWS(8, SIXTEEN_64, STORE_64)

// func ellMixedAVX512(dst *float32, n, width, stride int, col *int32, val, x *float32)
TEXT ·ellMixedAVX512(SB), NOSPLIT, $0-56
	ROWS(4, SIXTEEN_MIXED, STORE_MIXED)

// func ell32AVX512(dst *float32, n, width, stride int, col *int32, val, x *float32)
TEXT ·ell32AVX512(SB), NOSPLIT, $0-56
	ROWS(4, SIXTEEN_32, STORE_32)
