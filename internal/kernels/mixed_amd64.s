//go:build !purego

#include "textflag.h"
#include "vector_amd64.h"

// R9 = f = w * r, with w at R8 and r at BX, which STEP has stored, converted to float32.
#define INTO512(off, half, h) \
	VCVTPD2PS off(BX)(AX*8), h; \
	VMULPS    half(R8)(AX*4), h, h; \
	VMOVUPS   h, half(R9)(AX*4)

#define INTO256(off, half, h) \
	VCVTPD2PSY off(BX)(AX*8), h; \
	VMULPS     half(R8)(AX*4), h, h; \
	VMOVUPS    h, half(R9)(AX*4)

// DI = SI * DX + a DI, the product in float64, where it is exact
#define XPAY_MIXED(off, half, a, t, u) \
	VCVTPS2PD half(SI)(AX*4), t; \
	VCVTPS2PD half(DX)(AX*4), u; \
	VMULPD    u, t, t; \
	VMULPD    off(DI)(AX*8), a, u; \
	VADDPD    u, t, t; \
	VMOVUPD   t, off(DI)(AX*8)

#define STEP_ARGUMENTS \
	MOVQ p_base+8(FP), SI;    \
	MOVQ p_len+16(FP), CX;    \
	MOVQ x_base+32(FP), DI;   \
	MOVQ q_base+56(FP), DX;   \
	MOVQ r_base+80(FP), BX;   \
	MOVQ w_base+104(FP), R8;  \
	MOVQ f_base+128(FP), R9;  \
	XORL AX, AX

#define XPAY_ARGUMENTS \
	MOVQ w_base+0(FP), SI;   \
	MOVQ x_base+24(FP), DX;  \
	MOVQ y_base+56(FP), DI;  \
	MOVQ y_len+64(FP), CX;   \
	XORL AX, AX

// func stepIntoAVX512(a float64, p, x, q, r []float64, w, f []float32) float64
TEXT ·stepIntoAVX512(SB), NOSPLIT, $0-160
	STEP_ARGUMENTS
	VBROADCASTSD a+0(FP), Z15
	VXORPD       Y0, Y0, Y0
	VXORPD       Y1, Y1, Y1
	JMP          check

loop:
	STEP(0, Z15, Z4, Z8, Z12, Z0)
	STEP(64, Z15, Z5, Z9, Z13, Z1)
	INTO512(0, 0, Y4)
	INTO512(64, 32, Y5)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	SUM512(Z0, Z1, Y0, X0, Y4, X4)
	VMOVSD X0, ret+152(FP)
	VZEROUPPER
	RET

// func stepIntoAVX2(a float64, p, x, q, r []float64, w, f []float32) float64
TEXT ·stepIntoAVX2(SB), NOSPLIT, $0-160
	STEP_ARGUMENTS
	VBROADCASTSD a+0(FP), Y15
	ZERO4(Y0, Y1, Y2, Y3)
	JMP          check

loop:
	STEP(0, Y15, Y4, Y8, Y12, Y0)
	STEP(32, Y15, Y5, Y9, Y12, Y1)
	STEP(64, Y15, Y6, Y10, Y12, Y2)
	STEP(96, Y15, Y7, Y11, Y12, Y3)
	INTO256(0, 0, X4)
	INTO256(32, 16, X5)
	INTO256(64, 32, X6)
	INTO256(96, 48, X7)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	SUM256(Y0, Y1, Y2, Y3, X0, X4)
	VMOVSD X0, ret+152(FP)
	VZEROUPPER
	RET

// func xpayMixedAVX512(w, x []float32, a float64, y []float64)
TEXT ·xpayMixedAVX512(SB), NOSPLIT, $0-80
	XPAY_ARGUMENTS
	VBROADCASTSD a+48(FP), Z15
	JMP          check

loop:
	XPAY_MIXED(0, 0, Z15, Z4, Z8)
	XPAY_MIXED(64, 32, Z15, Z5, Z9)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func xpayMixedAVX2(w, x []float32, a float64, y []float64)
TEXT ·xpayMixedAVX2(SB), NOSPLIT, $0-80
	XPAY_ARGUMENTS
	VBROADCASTSD a+48(FP), Y15
	JMP          check

loop:
	XPAY_MIXED(0, 0, Y15, Y4, Y8)
	XPAY_MIXED(32, 16, Y15, Y5, Y9)
	XPAY_MIXED(64, 32, Y15, Y6, Y10)
	XPAY_MIXED(96, 48, Y15, Y7, Y11)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET
