//go:build !purego

#include "textflag.h"
#include "vector_amd64.h"

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

// func mulAVX512(a float64, w, x, y []float64)
TEXT ·mulAVX512(SB), NOSPLIT, $0-80
	MOVQ         w_base+8(FP), SI
	MOVQ         w_len+16(FP), CX
	MOVQ         x_base+32(FP), DX
	MOVQ         y_base+56(FP), DI
	VBROADCASTSD a+0(FP), Z15
	XORL         AX, AX
	JMP          check

loop:
	MUL(0, Z15, Z4)
	MUL(64, Z15, Z5)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

// func relaxAVX512(a float64, w, x, r []float64)
TEXT ·relaxAVX512(SB), NOSPLIT, $0-80
	MOVQ         w_base+8(FP), SI
	MOVQ         w_len+16(FP), CX
	MOVQ         x_base+32(FP), DX
	MOVQ         r_base+56(FP), DI
	VBROADCASTSD a+0(FP), Z15
	XORL         AX, AX
	JMP          check

loop:
	RELAX(0, Z15, Z4)
	RELAX(64, Z15, Z5)
	ADDQ $16, AX

check:
	CMPQ AX, CX
	JLT  loop
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
