//go:build !purego

#include "textflag.h"
#include "vector_amd64.h"

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

// func mulAVX2(a float64, w, x, y []float64)
TEXT ·mulAVX2(SB), NOSPLIT, $0-80
	MOVQ         w_base+8(FP), SI
	MOVQ         w_len+16(FP), CX
	MOVQ         x_base+32(FP), DX
	MOVQ         y_base+56(FP), DI
	VBROADCASTSD a+0(FP), Y15
	XORL         AX, AX
	JMP          check

loop:
	MUL(0, Y15, Y4)
	MUL(32, Y15, Y5)
	MUL(64, Y15, Y6)
	MUL(96, Y15, Y7)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func relaxAVX2(a float64, w, x, r []float64)
TEXT ·relaxAVX2(SB), NOSPLIT, $0-80
	MOVQ         w_base+8(FP), SI
	MOVQ         w_len+16(FP), CX
	MOVQ         x_base+32(FP), DX
	MOVQ         r_base+56(FP), DI
	VBROADCASTSD a+0(FP), Y15
	XORL         AX, AX
	JMP          check

loop:
	RELAX(0, Y15, Y4)
	RELAX(32, Y15, Y5)
	RELAX(64, Y15, Y6)
	RELAX(96, Y15, Y7)
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
