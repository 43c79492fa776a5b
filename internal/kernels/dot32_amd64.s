//go:build !purego

#include "textflag.h"

// Inner products of float32 vectors at SI and DI, AX counting the elements up to
// CX, 32 a turn; the accumulators are stored at DX, all zero before.
#define BEGIN \
	MOVQ s+0(FP), DX  \
	MOVQ x+8(FP), SI  \
	MOVQ y+16(FP), DI \
	MOVQ n+24(FP), CX \
	XORL AX, AX

// Prefetch of what comes 2 KB behind a turn: conversions leave the processor too
// few loads in flight.
#define PREFETCH \
	PREFETCHT0 2048(SI)(AX*4) \
	PREFETCHT0 2112(SI)(AX*4) \
	PREFETCHT0 2048(DI)(AX*4) \
	PREFETCHT0 2112(DI)(AX*4)

// ACC += products in float32.
#define PRODUCT(OFF, T, ACC) \
	VMOVUPS OFF(SI)(AX*4), T    \
	VMULPS  OFF(DI)(AX*4), T, T \
	VADDPS  T, ACC, ACC

// ACC += products in float64, which are exact.
#define PRODUCT_MIXED(OFF, T, U, ACC) \
	VCVTPS2PD   OFF(SI)(AX*4), T \
	VCVTPS2PD   OFF(DI)(AX*4), U \
	VFMADD231PD T, U, ACC

// func dot32AVX512(s *[32]float32, x, y *float32, n int)
TEXT ·dot32AVX512(SB), NOSPLIT, $0-32
	BEGIN
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1

loop:
	PREFETCH
	PRODUCT(0, Z4, Z0)
	PRODUCT(64, Z5, Z1)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     loop
	VMOVUPS Z0, (DX)
	VMOVUPS Z1, 64(DX)
	VZEROUPPER
	RET

// func dot32AVX2(s *[32]float32, x, y *float32, n int)
TEXT ·dot32AVX2(SB), NOSPLIT, $0-32
	BEGIN
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

loop:
	PREFETCH
	PRODUCT(0, Y4, Y0)
	PRODUCT(32, Y5, Y1)
	PRODUCT(64, Y6, Y2)
	PRODUCT(96, Y7, Y3)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     loop
	VMOVUPS Y0, (DX)
	VMOVUPS Y1, 32(DX)
	VMOVUPS Y2, 64(DX)
	VMOVUPS Y3, 96(DX)
	VZEROUPPER
	RET

// func dotMixedAVX512(s *[32]float64, x, y *float32, n int)
TEXT ·dotMixedAVX512(SB), NOSPLIT, $0-32
	BEGIN
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3

loop:
	PREFETCH
	PRODUCT_MIXED(0, Z8, Z9, Z0)
	PRODUCT_MIXED(32, Z10, Z11, Z1)
	PRODUCT_MIXED(64, Z8, Z9, Z2)
	PRODUCT_MIXED(96, Z10, Z11, Z3)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     loop
	VMOVUPD Z0, (DX)
	VMOVUPD Z1, 64(DX)
	VMOVUPD Z2, 128(DX)
	VMOVUPD Z3, 192(DX)
	VZEROUPPER
	RET

// func dotMixedAVX2(s *[32]float64, x, y *float32, n int)
TEXT ·dotMixedAVX2(SB), NOSPLIT, $0-32
	BEGIN
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7

loop:
	PREFETCH
	PRODUCT_MIXED(0, Y8, Y9, Y0)
	PRODUCT_MIXED(16, Y10, Y11, Y1)
	PRODUCT_MIXED(32, Y12, Y13, Y2)
	PRODUCT_MIXED(48, Y14, Y15, Y3)
	PRODUCT_MIXED(64, Y8, Y9, Y4)
	PRODUCT_MIXED(80, Y10, Y11, Y5)
	PRODUCT_MIXED(96, Y12, Y13, Y6)
	PRODUCT_MIXED(112, Y14, Y15, Y7)
	ADDQ    $32, AX
	CMPQ    AX, CX
	JLT     loop
	VMOVUPD Y0, (DX)
	VMOVUPD Y1, 32(DX)
	VMOVUPD Y2, 64(DX)
	VMOVUPD Y3, 96(DX)
	VMOVUPD Y4, 128(DX)
	VMOVUPD Y5, 160(DX)
	VMOVUPD Y6, 192(DX)
	VMOVUPD Y7, 224(DX)
	VZEROUPPER
	RET
