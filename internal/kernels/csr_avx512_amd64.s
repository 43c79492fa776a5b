//go:build !purego

#include "textflag.h"
#include "csr_amd64.h"

// SUM += VALUES x, x of the indices in Y9 and the mask K1, which it clears.
#define ADD_PRODUCTS(VALUES, SUM) \
	VPXORQ      Z8, Z8, Z8          \
	VGATHERDPD  (R10)(Y9*8), K1, Z8 \
	VFMADD231PD VALUES, Z8, SUM

// SUM += products of the eight elements at P, their values of float64 or
// float32; TAIL: of those in the mask K1.
#define EIGHT_64(P, SUM) \
	PREFETCH(P, 8)        \
	VMOVDQU (R8)(P*4), Y9 \
	KXNORB  K1, K1, K1    \
	ADD_PRODUCTS((R9)(P*8), SUM)

#define TAIL_64(P, SUM) \
	PREFETCH(P, 8)                 \
	VMOVDQU32.Z (R8)(P*4), K1, Y9  \
	VMOVUPD.Z   (R9)(P*8), K1, Z10 \
	ADD_PRODUCTS(Z10, SUM)

#define EIGHT_32(P, SUM) \
	PREFETCH(P, 4)           \
	VMOVDQU   (R8)(P*4), Y9  \
	VCVTPS2PD (R9)(P*4), Z10 \
	KXNORB    K1, K1, K1     \
	ADD_PRODUCTS(Z10, SUM)

// Z8 = x at the eight indices at P, by single loads.
#define EIGHT_X(P) \
	MOVL    (R8)(P*4), R14           \
	MOVL    4(R8)(P*4), R15          \
	VMOVSD  (R10)(R14*8), X8         \
	VMOVHPD (R10)(R15*8), X8, X8     \
	MOVL    8(R8)(P*4), R14          \
	MOVL    12(R8)(P*4), R15         \
	VMOVSD  (R10)(R14*8), X9         \
	VMOVHPD (R10)(R15*8), X9, X9     \
	MOVL    16(R8)(P*4), R14         \
	MOVL    20(R8)(P*4), R15         \
	VMOVSD  (R10)(R14*8), X10        \
	VMOVHPD (R10)(R15*8), X10, X10   \
	MOVL    24(R8)(P*4), R14         \
	MOVL    28(R8)(P*4), R15         \
	VMOVSD  (R10)(R14*8), X11        \
	VMOVHPD (R10)(R15*8), X11, X11   \
	VINSERTF128   $1, X9, Y8, Y8     \
	VINSERTF128   $1, X11, Y10, Y10  \
	VINSERTF64X4  $1, Y10, Z8, Z8

// EIGHT_64 and EIGHT_32 without a gather.
#define LOADS_64(P, SUM) \
	PREFETCH(P, 8) \
	EIGHT_X(P)     \
	VFMADD231PD (R9)(P*8), Z8, SUM

#define LOADS_32(P, SUM) \
	PREFETCH(P, 4)            \
	EIGHT_X(P)                \
	VCVTPS2PD   (R9)(P*4), Z9 \
	VFMADD231PD Z9, Z8, SUM

#define TAIL_32(P, SUM) \
	PREFETCH(P, 4)                 \
	VMOVDQU32.Z (R8)(P*4), K1, Y9  \
	VCVTPS2PD.Z (R9)(P*4), K1, Z10 \
	ADD_PRODUCTS(Z10, SUM)

// SUM = the products of the row from P to END, eight by eight and a masked rest
// of up to eight; P becomes END.
#define ROW(EIGHT, TAIL, END, P, SUM, eight, tail) \
	MOVQ   END, DX       \
	VPXORQ SUM, SUM, SUM \
	SUBQ   $8, DX        \
	CMPQ   P, DX         \
	JGE    tail          \
eight:                       \
	EIGHT(P, SUM)        \
	ADDQ   $8, P         \
	CMPQ   P, DX         \
	JLT    eight         \
tail:                        \
	SUBQ   P, DX         \
	NEGQ   DX            \
	SHRXL  DX, R12, DX   \
	KMOVB  DX, K1        \
	TAIL(P, SUM)         \
	MOVQ   END, P

// Z8 = the sums of Z0 to Z7: neighbours, then halves, then quarters.
#define SUMS \
	VUNPCKLPD  Z1, Z0, Z8         \
	VUNPCKHPD  Z1, Z0, Z9         \
	VUNPCKLPD  Z3, Z2, Z10        \
	VUNPCKHPD  Z3, Z2, Z11        \
	VADDPD     Z9, Z8, Z0         \
	VADDPD     Z11, Z10, Z2       \
	VUNPCKLPD  Z5, Z4, Z8         \
	VUNPCKHPD  Z5, Z4, Z9         \
	VUNPCKLPD  Z7, Z6, Z10        \
	VUNPCKHPD  Z7, Z6, Z11        \
	VADDPD     Z9, Z8, Z4         \
	VADDPD     Z11, Z10, Z6       \
	VSHUFF64X2 $0x44, Z2, Z0, Z8  \
	VSHUFF64X2 $0xEE, Z2, Z0, Z9  \
	VSHUFF64X2 $0x44, Z6, Z4, Z10 \
	VSHUFF64X2 $0xEE, Z6, Z4, Z11 \
	VADDPD     Z9, Z8, Z0         \
	VADDPD     Z11, Z10, Z4       \
	VSHUFF64X2 $0x88, Z4, Z0, Z8  \
	VSHUFF64X2 $0xDD, Z4, Z0, Z9  \
	VADDPD     Z9, Z8, Z8

// X0 = the sum of Z0, added in the same order.
#define SUM1 \
	VPERMILPD     $0x55, Z0, Z1 \
	VADDPD        Z1, Z0, Z0    \
	VEXTRACTF64X4 $1, Z0, Y1    \
	VADDPD        Y1, Y0, Y0    \
	VEXTRACTF128  $1, Y0, X1    \
	VADDSD        X1, X0, X0

#define ROWS(EIGHT, TAIL) \
	SPLIT                                            \
	MOVL  $255, R12                                  \
	TESTQ CX, CX                                     \
	JZ    rest                                       \
turn:                                                    \
	ROW(EIGHT, TAIL, 8(SI), AX, Z0, a0, ta0)         \
	ROW(EIGHT, TAIL, 8(SI)(R11*1), BX, Z4, b0, tb0)  \
	ROW(EIGHT, TAIL, 16(SI), AX, Z1, a1, ta1)        \
	ROW(EIGHT, TAIL, 16(SI)(R11*1), BX, Z5, b1, tb1) \
	ROW(EIGHT, TAIL, 24(SI), AX, Z2, a2, ta2)        \
	ROW(EIGHT, TAIL, 24(SI)(R11*1), BX, Z6, b2, tb2) \
	ROW(EIGHT, TAIL, 32(SI), AX, Z3, a3, ta3)        \
	ROW(EIGHT, TAIL, 32(SI)(R11*1), BX, Z7, b3, tb3) \
	SUMS                                             \
	VMOVUPD       Y8, (DI)                           \
	VEXTRACTF64X4 $1, Z8, (DI)(R11*1)                \
	ADDQ          $32, DI                            \
	ADDQ          $32, SI                            \
	DECQ          CX                                 \
	JNZ           turn                               \
rest:                                                    \
	LEFT_OVER                                        \
	JMP   next                                       \
row:                                                     \
	ROW(EIGHT, TAIL, 8(SI), AX, Z0, c, tc)           \
	SUM1                                             \
	VMOVSD X0, (DI)                                  \
	ADDQ   $8, SI                                    \
	ADDQ   $8, DI                                    \
next:                                                    \
	SUBQ  $1, CX                                     \
	JGE   row                                        \
	VZEROUPPER                                       \
	RET

// func csr64AVX512(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)
TEXT ·csr64AVX512(SB), NOSPLIT, $0-48
	ROWS(EIGHT_64, TAIL_64)

// func csr32AVX512(dst *float64, n int, rowPtr *int64, col *int32, val *float32, x *float64)
TEXT ·csr32AVX512(SB), NOSPLIT, $0-48
	ROWS(EIGHT_32, TAIL_32)

// func csr64LoadsAVX512(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)
TEXT ·csr64LoadsAVX512(SB), NOSPLIT, $0-48
	ROWS(LOADS_64, TAIL_64)

// func csr32LoadsAVX512(dst *float64, n int, rowPtr *int64, col *int32, val *float32, x *float64)
TEXT ·csr32LoadsAVX512(SB), NOSPLIT, $0-48
	ROWS(LOADS_32, TAIL_32)
