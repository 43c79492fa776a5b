//go:build !purego

#include "textflag.h"
#include "csr_amd64.h"

// Y9 = x at the four indices at P, by single loads: as quick as a gather where
// the matrix comes from memory, and not slow where gathers are.
#define FOUR_X(P) \
	MOVL    (R8)(P*4), R12         \
	VMOVSD  (R10)(R12*8), X9       \
	MOVL    4(R8)(P*4), R12        \
	VMOVHPD (R10)(R12*8), X9, X9   \
	MOVL    8(R8)(P*4), R12        \
	VMOVSD  (R10)(R12*8), X10      \
	MOVL    12(R8)(P*4), R12       \
	VMOVHPD (R10)(R12*8), X10, X10 \
	VINSERTF128 $1, X10, Y9, Y9

// SUM += products of the four elements at P; X8 += that of the one at P.
#define FOUR_64(P, SUM) \
	PREFETCH(P, 8) \
	FOUR_X(P)      \
	VFMADD231PD (R9)(P*8), Y9, SUM

#define ONE_64(P) \
	MOVL   (R8)(P*4), R12 \
	VMOVSD (R9)(P*8), X9  \
	VFMADD231SD (R10)(R12*8), X9, X8

#define FOUR_32(P, SUM) \
	PREFETCH(P, 4)             \
	FOUR_X(P)                  \
	VCVTPS2PD   (R9)(P*4), Y10 \
	VFMADD231PD Y10, Y9, SUM

#define ONE_32(P) \
	MOVL      (R8)(P*4), R12    \
	VXORPS    X9, X9, X9        \
	VCVTSS2SD (R9)(P*4), X9, X9 \
	VFMADD231SD (R10)(R12*8), X9, X8

// SUM = the products of the row from P to END, four by four and one by one; P
// becomes END.
#define ROW(FOUR, ONE, END, P, SUM, four, one, tail, done) \
	MOVQ   END, DX       \
	VXORPD SUM, SUM, SUM \
	VXORPD X8, X8, X8    \
	SUBQ   $4, DX        \
	CMPQ   P, DX         \
	JGT    tail          \
four:                        \
	FOUR(P, SUM)         \
	ADDQ   $4, P         \
	CMPQ   P, DX         \
	JLE    four          \
tail:                        \
	ADDQ   $4, DX        \
	CMPQ   P, DX         \
	JGE    done          \
one:                         \
	ONE(P)               \
	INCQ   P             \
	CMPQ   P, DX         \
	JLT    one           \
done:                        \
	VADDPD Y8, SUM, SUM  \
	MOVQ   DX, P

// S0 = the sums of S0 to S3: neighbours, then halves.
#define SUMS(S0, S1, S2, S3) \
	VHADDPD    S1, S0, S0        \
	VHADDPD    S3, S2, S2        \
	VPERM2F128 $0x21, S2, S0, Y8 \
	VBLENDPD   $0xC, S2, S0, Y9  \
	VADDPD     Y9, Y8, S0

// X0 = the sum of Y0, added in the same order.
#define SUM1 \
	VHADDPD      Y0, Y0, Y0 \
	VEXTRACTF128 $1, Y0, X1 \
	VADDSD       X1, X0, X0

#define ROWS(FOUR, ONE) \
	SPLIT                                                    \
	TESTQ CX, CX                                             \
	JZ    rest                                               \
turn:                                                            \
	ROW(FOUR, ONE, 8(SI), AX, Y0, a0, aa0, ta0, da0)         \
	ROW(FOUR, ONE, 8(SI)(R11*1), BX, Y4, b0, bb0, tb0, db0)  \
	ROW(FOUR, ONE, 16(SI), AX, Y1, a1, aa1, ta1, da1)        \
	ROW(FOUR, ONE, 16(SI)(R11*1), BX, Y5, b1, bb1, tb1, db1) \
	ROW(FOUR, ONE, 24(SI), AX, Y2, a2, aa2, ta2, da2)        \
	ROW(FOUR, ONE, 24(SI)(R11*1), BX, Y6, b2, bb2, tb2, db2) \
	ROW(FOUR, ONE, 32(SI), AX, Y3, a3, aa3, ta3, da3)        \
	ROW(FOUR, ONE, 32(SI)(R11*1), BX, Y7, b3, bb3, tb3, db3) \
	SUMS(Y0, Y1, Y2, Y3)                                     \
	SUMS(Y4, Y5, Y6, Y7)                                     \
	VMOVUPD Y0, (DI)                                         \
	VMOVUPD Y4, (DI)(R11*1)                                  \
	ADDQ    $32, DI                                          \
	ADDQ    $32, SI                                          \
	DECQ    CX                                               \
	JNZ     turn                                             \
rest:                                                            \
	LEFT_OVER                                                \
	JMP   next                                               \
row:                                                             \
	ROW(FOUR, ONE, 8(SI), AX, Y0, c, cc, tc, dc)             \
	SUM1                                                     \
	VMOVSD X0, (DI)                                          \
	ADDQ   $8, SI                                            \
	ADDQ   $8, DI                                            \
next:                                                            \
	SUBQ  $1, CX                                             \
	JGE   row                                                \
	VZEROUPPER                                               \
	RET

// func csr64AVX2(dst *float64, n int, rowPtr *int64, col *int32, val, x *float64)
TEXT ·csr64AVX2(SB), NOSPLIT, $0-48
	ROWS(FOUR_64, ONE_64)

// func csr32AVX2(dst *float64, n int, rowPtr *int64, col *int32, val *float32, x *float64)
TEXT ·csr32AVX2(SB), NOSPLIT, $0-48
	ROWS(FOUR_32, ONE_32)
