//go:build !purego

#include "textflag.h"

// The vector kernels for AVX2 and AVX-512 (see vectorKernels): one group of
// sixteen elements per turn of a loop, AX counting the elements up to CX. The
// macros do the elements of one register, of either width, off bytes into the
// group; t and u are scratch.

// acc += SI * DI
#define DOT(off, t, acc) \
	VMOVUPD off(SI)(AX*8), t; \
	VMULPD  off(DI)(AX*8), t, t; \
	VADDPD  t, acc, acc

// DI += a SI
#define AXPY(off, a, t) \
	VMULPD  off(SI)(AX*8), a, t; \
	VADDPD  off(DI)(AX*8), t, t; \
	VMOVUPD t, off(DI)(AX*8)

// DI += a SI, acc += DI * BX; BX may be DI
#define AXPYDOT(off, a, t, acc) \
	AXPY(off, a, t); \
	VMULPD off(BX)(AX*8), t, t; \
	VADDPD t, acc, acc

// DI = SI + a DI
#define XPAY(off, a, t) \
	VMULPD  off(DI)(AX*8), a, t; \
	VADDPD  off(SI)(AX*8), t, t; \
	VMOVUPD t, off(DI)(AX*8)

// SI *= a
#define SCALE(off, a, t) \
	VMULPD  off(SI)(AX*8), a, t; \
	VMOVUPD t, off(SI)(AX*8)

// DI += a SI, BX -= a DX, acc += BX * BX. All loads come before the stores: a
// load waits for a store to the same place of another page.
#define STEP(off, a, t, u, v, acc) \
	VMULPD  off(SI)(AX*8), a, t; \
	VMULPD  off(DX)(AX*8), a, u; \
	VMOVUPD off(BX)(AX*8), v; \
	VADDPD  off(DI)(AX*8), t, t; \
	VSUBPD  u, v, v; \
	VMOVUPD t, off(DI)(AX*8); \
	VMOVUPD v, off(BX)(AX*8); \
	VMULPD  v, v, v; \
	VADDPD  v, acc, acc

// h0 += R8 * DI, h1 += R9 * DI
#define DOT2(off, w, t, h0, h1) \
	VMOVUPD off(DI)(AX*8), w; \
	VMULPD  off(R8)(AX*8), w, t; \
	VADDPD  t, h0, h0; \
	VMULPD  off(R9)(AX*8), w, w; \
	VADDPD  w, h1, h1

// h0 += R8 * w, h1 += R9 * w, h2 += R10 * w, h3 += R11 * w
#define DOT4(off, w, t, h0, h1, h2, h3) \
	VMULPD off(R8)(AX*8), w, t; \
	VADDPD t, h0, h0; \
	VMULPD off(R9)(AX*8), w, t; \
	VADDPD t, h1, h1; \
	VMULPD off(R10)(AX*8), w, t; \
	VADDPD t, h2, h2; \
	VMULPD off(R11)(AX*8), w, t; \
	VADDPD t, h3, h3

// DI = ((DI + a0 R8) + a1 R9) + ...
#define AXPY4(off, a0, a1, a2, a3, t, u) \
	VMULPD  off(R8)(AX*8), a0, t; \
	VADDPD  off(DI)(AX*8), t, u; \
	VMULPD  off(R9)(AX*8), a1, t; \
	VADDPD  t, u, u; \
	VMULPD  off(R10)(AX*8), a2, t; \
	VADDPD  t, u, u; \
	VMULPD  off(R11)(AX*8), a3, t; \
	VADDPD  t, u, u; \
	VMOVUPD u, off(DI)(AX*8)

#define ZERO4(s0, s1, s2, s3) \
	VXORPD s0, s0, s0; \
	VXORPD s1, s1, s1; \
	VXORPD s2, s2, s2; \
	VXORPD s3, s3, s3

// The sum, by halves, of four elements in y, whose lower half is x.
#define SUM4(y, x, t) \
	VEXTRACTF128 $1, y, t; \
	VADDPD       t, x, x; \
	VPERMILPD    $1, x, t; \
	VADDSD       t, x, x

// The sum of sixteen elements in two registers of AVX-512.
#define SUM512(z0, z1, y, x, ty, tx) \
	VADDPD        z1, z0, z0; \
	VEXTRACTF64X4 $1, z0, ty; \
	VADDPD        ty, y, y; \
	SUM4(y, x, tx)

// The sum of sixteen elements in four registers of AVX2.
#define SUM256(y0, y1, y2, y3, x, t) \
	VADDPD y2, y0, y0; \
	VADDPD y3, y1, y1; \
	VADDPD y1, y0, y0; \
	SUM4(y0, x, t)

// func dotAVX512(x, y []float64) float64
TEXT ·dotAVX512(SB), NOSPLIT, $0-56
	MOVQ   x_base+0(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   y_base+24(FP), DI
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	XORL   AX, AX
	JMP    check

loop:
	DOT(0, Z4, Z0)
	DOT(64, Z5, Z1)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	SUM512(Z0, Z1, Y0, X0, Y4, X4)
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// func dotAVX2(x, y []float64) float64
TEXT ·dotAVX2(SB), NOSPLIT, $0-56
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	MOVQ y_base+24(FP), DI
	ZERO4(Y0, Y1, Y2, Y3)
	XORL AX, AX
	JMP  check

loop:
	DOT(0, Y4, Y0)
	DOT(32, Y5, Y1)
	DOT(64, Y6, Y2)
	DOT(96, Y7, Y3)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	SUM256(Y0, Y1, Y2, Y3, X0, X4)
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// func axpyAVX512(a float64, x, y []float64)
TEXT ·axpyAVX512(SB), NOSPLIT, $0-56
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	MOVQ         y_base+32(FP), DI
	VBROADCASTSD a+0(FP), Z15
	XORL         AX, AX
	JMP          check

loop:
	AXPY(0, Z15, Z4)
	AXPY(64, Z15, Z5)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func axpyAVX2(a float64, x, y []float64)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-56
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	MOVQ         y_base+32(FP), DI
	VBROADCASTSD a+0(FP), Y15
	XORL         AX, AX
	JMP          check

loop:
	AXPY(0, Y15, Y4)
	AXPY(32, Y15, Y5)
	AXPY(64, Y15, Y6)
	AXPY(96, Y15, Y7)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func axpyDotAVX512(a float64, x, y, z []float64) float64
TEXT ·axpyDotAVX512(SB), NOSPLIT, $0-88
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	MOVQ         y_base+32(FP), DI
	MOVQ         z_base+56(FP), BX
	VBROADCASTSD a+0(FP), Z15
	VXORPD       Y0, Y0, Y0
	VXORPD       Y1, Y1, Y1
	XORL         AX, AX
	JMP          check

loop:
	AXPYDOT(0, Z15, Z4, Z0)
	AXPYDOT(64, Z15, Z5, Z1)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	SUM512(Z0, Z1, Y0, X0, Y4, X4)
	VMOVSD X0, ret+80(FP)
	VZEROUPPER
	RET

// func axpyDotAVX2(a float64, x, y, z []float64) float64
TEXT ·axpyDotAVX2(SB), NOSPLIT, $0-88
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	MOVQ         y_base+32(FP), DI
	MOVQ         z_base+56(FP), BX
	VBROADCASTSD a+0(FP), Y15
	ZERO4(Y0, Y1, Y2, Y3)
	XORL         AX, AX
	JMP          check

loop:
	AXPYDOT(0, Y15, Y4, Y0)
	AXPYDOT(32, Y15, Y5, Y1)
	AXPYDOT(64, Y15, Y6, Y2)
	AXPYDOT(96, Y15, Y7, Y3)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	SUM256(Y0, Y1, Y2, Y3, X0, X4)
	VMOVSD X0, ret+80(FP)
	VZEROUPPER
	RET

// func xpayAVX512(x []float64, a float64, y []float64)
TEXT ·xpayAVX512(SB), NOSPLIT, $0-56
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	MOVQ         y_base+32(FP), DI
	VBROADCASTSD a+24(FP), Z15
	XORL         AX, AX
	JMP          check

loop:
	XPAY(0, Z15, Z4)
	XPAY(64, Z15, Z5)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func xpayAVX2(x []float64, a float64, y []float64)
TEXT ·xpayAVX2(SB), NOSPLIT, $0-56
	MOVQ         x_base+0(FP), SI
	MOVQ         x_len+8(FP), CX
	MOVQ         y_base+32(FP), DI
	VBROADCASTSD a+24(FP), Y15
	XORL         AX, AX
	JMP          check

loop:
	XPAY(0, Y15, Y4)
	XPAY(32, Y15, Y5)
	XPAY(64, Y15, Y6)
	XPAY(96, Y15, Y7)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func scaleAVX512(a float64, x []float64)
TEXT ·scaleAVX512(SB), NOSPLIT, $0-32
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	VBROADCASTSD a+0(FP), Z15
	XORL         AX, AX
	JMP          check

loop:
	SCALE(0, Z15, Z4)
	SCALE(64, Z15, Z5)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func scaleAVX2(a float64, x []float64)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-32
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	VBROADCASTSD a+0(FP), Y15
	XORL         AX, AX
	JMP          check

loop:
	SCALE(0, Y15, Y4)
	SCALE(32, Y15, Y5)
	SCALE(64, Y15, Y6)
	SCALE(96, Y15, Y7)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func stepAVX512(a float64, p, x, q, r []float64) float64
TEXT ·stepAVX512(SB), NOSPLIT, $0-112
	MOVQ         p_base+8(FP), SI
	MOVQ         p_len+16(FP), CX
	MOVQ         x_base+32(FP), DI
	MOVQ         q_base+56(FP), DX
	MOVQ         r_base+80(FP), BX
	VBROADCASTSD a+0(FP), Z15
	VXORPD       Y0, Y0, Y0
	VXORPD       Y1, Y1, Y1
	XORL         AX, AX
	JMP          check

loop:
	STEP(0, Z15, Z4, Z8, Z12, Z0)
	STEP(64, Z15, Z5, Z9, Z13, Z1)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	SUM512(Z0, Z1, Y0, X0, Y4, X4)
	VMOVSD X0, ret+104(FP)
	VZEROUPPER
	RET

// func stepAVX2(a float64, p, x, q, r []float64) float64
TEXT ·stepAVX2(SB), NOSPLIT, $0-112
	MOVQ         p_base+8(FP), SI
	MOVQ         p_len+16(FP), CX
	MOVQ         x_base+32(FP), DI
	MOVQ         q_base+56(FP), DX
	MOVQ         r_base+80(FP), BX
	VBROADCASTSD a+0(FP), Y15
	ZERO4(Y0, Y1, Y2, Y3)
	XORL         AX, AX
	JMP          check

loop:
	STEP(0, Y15, Y4, Y8, Y12, Y0)
	STEP(32, Y15, Y5, Y9, Y12, Y1)
	STEP(64, Y15, Y6, Y10, Y12, Y2)
	STEP(96, Y15, Y7, Y11, Y12, Y3)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	SUM256(Y0, Y1, Y2, Y3, X0, X4)
	VMOVSD X0, ret+104(FP)
	VZEROUPPER
	RET

// func axpy4AVX512(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64)
TEXT ·axpy4AVX512(SB), NOSPLIT, $0-152
	MOVQ         v0_base+32(FP), R8
	MOVQ         v1_base+56(FP), R9
	MOVQ         v2_base+80(FP), R10
	MOVQ         v3_base+104(FP), R11
	MOVQ         w_base+128(FP), DI
	MOVQ         w_len+136(FP), CX
	VBROADCASTSD a0+0(FP), Z0
	VBROADCASTSD a1+8(FP), Z1
	VBROADCASTSD a2+16(FP), Z2
	VBROADCASTSD a3+24(FP), Z3
	XORL         AX, AX
	JMP          check

loop:
	AXPY4(0, Z0, Z1, Z2, Z3, Z4, Z8)
	AXPY4(64, Z0, Z1, Z2, Z3, Z5, Z9)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func axpy4AVX2(a0, a1, a2, a3 float64, v0, v1, v2, v3, w []float64)
TEXT ·axpy4AVX2(SB), NOSPLIT, $0-152
	MOVQ         v0_base+32(FP), R8
	MOVQ         v1_base+56(FP), R9
	MOVQ         v2_base+80(FP), R10
	MOVQ         v3_base+104(FP), R11
	MOVQ         w_base+128(FP), DI
	MOVQ         w_len+136(FP), CX
	VBROADCASTSD a0+0(FP), Y0
	VBROADCASTSD a1+8(FP), Y1
	VBROADCASTSD a2+16(FP), Y2
	VBROADCASTSD a3+24(FP), Y3
	XORL         AX, AX
	JMP          check

loop:
	AXPY4(0, Y0, Y1, Y2, Y3, Y4, Y8)
	AXPY4(32, Y0, Y1, Y2, Y3, Y5, Y9)
	AXPY4(64, Y0, Y1, Y2, Y3, Y6, Y10)
	AXPY4(96, Y0, Y1, Y2, Y3, Y7, Y11)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func dot4AVX512(v0, v1, v2, v3, w []float64) (h0, h1, h2, h3 float64)
TEXT ·dot4AVX512(SB), NOSPLIT, $0-152
	MOVQ v0_base+0(FP), R8
	MOVQ v1_base+24(FP), R9
	MOVQ v2_base+48(FP), R10
	MOVQ v3_base+72(FP), R11
	MOVQ w_base+96(FP), DI
	MOVQ w_len+104(FP), CX
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	XORL AX, AX
	JMP  check

loop:
	VMOVUPD (DI)(AX*8), Z8
	VMOVUPD 64(DI)(AX*8), Z9
	DOT4(0, Z8, Z10, Z0, Z2, Z4, Z6)
	DOT4(64, Z9, Z11, Z1, Z3, Z5, Z7)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	SUM512(Z0, Z1, Y0, X0, Y12, X12)
	SUM512(Z2, Z3, Y2, X2, Y12, X12)
	SUM512(Z4, Z5, Y4, X4, Y12, X12)
	SUM512(Z6, Z7, Y6, X6, Y12, X12)
	VMOVSD X0, h0+120(FP)
	VMOVSD X2, h1+128(FP)
	VMOVSD X4, h2+136(FP)
	VMOVSD X6, h3+144(FP)
	VZEROUPPER
	RET
// func dot2AVX2(v0, v1, w []float64) (h0, h1 float64)
TEXT ·dot2AVX2(SB), NOSPLIT, $0-88
	MOVQ v0_base+0(FP), R8
	MOVQ v1_base+24(FP), R9
	MOVQ w_base+48(FP), DI
	MOVQ w_len+56(FP), CX
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	XORL AX, AX
	JMP  check

loop:
	DOT2(0, Y8, Y9, Y0, Y4)
	DOT2(32, Y10, Y11, Y1, Y5)
	DOT2(64, Y12, Y13, Y2, Y6)
	DOT2(96, Y14, Y15, Y3, Y7)
	ADDQ $16, AX

check:
	CMPQ   AX, CX
	JLT    loop
	SUM256(Y0, Y1, Y2, Y3, X0, X8)
	SUM256(Y4, Y5, Y6, Y7, X4, X8)
	VMOVSD X0, h0+72(FP)
	VMOVSD X4, h1+80(FP)
	VZEROUPPER
	RET
