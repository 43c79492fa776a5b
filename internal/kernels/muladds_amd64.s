//go:build !purego

#include "textflag.h"

// Chains of multiply-adds. A turn takes as many registers as hide the latency of
// their multiply-adds, SIZE bytes of x at SI for each.
//
//	DX  sums	CX  elements left	R8  k-1		R9  steps left
#define ARGUMENTS \
	MOVQ s+0(FP), DX  \
	MOVQ x+8(FP), SI  \
	MOVQ n+16(FP), CX \
	MOVQ k+24(FP), R8 \
	DECQ R8

// AHEAD is how many bytes are on their way from memory while a turn computes.
#define AHEAD 2048

#define LOAD8(LOAD, SIZE, AT, V0, V1, V2, V3, V4, V5, V6, V7) \
	PREFETCHT0 (AHEAD+(AT+0)*SIZE)(SI) \
	LOAD ((AT+0)*SIZE)(SI), V0 \
	PREFETCHT0 (AHEAD+(AT+1)*SIZE)(SI) \
	LOAD ((AT+1)*SIZE)(SI), V1 \
	PREFETCHT0 (AHEAD+(AT+2)*SIZE)(SI) \
	LOAD ((AT+2)*SIZE)(SI), V2 \
	PREFETCHT0 (AHEAD+(AT+3)*SIZE)(SI) \
	LOAD ((AT+3)*SIZE)(SI), V3 \
	PREFETCHT0 (AHEAD+(AT+4)*SIZE)(SI) \
	LOAD ((AT+4)*SIZE)(SI), V4 \
	PREFETCHT0 (AHEAD+(AT+5)*SIZE)(SI) \
	LOAD ((AT+5)*SIZE)(SI), V5 \
	PREFETCHT0 (AHEAD+(AT+6)*SIZE)(SI) \
	LOAD ((AT+6)*SIZE)(SI), V6 \
	PREFETCHT0 (AHEAD+(AT+7)*SIZE)(SI) \
	LOAD ((AT+7)*SIZE)(SI), V7

// V = A V + B
#define STEP8(FMA, A, B, V0, V1, V2, V3, V4, V5, V6, V7) \
	FMA B, A, V0 \
	FMA B, A, V1 \
	FMA B, A, V2 \
	FMA B, A, V3 \
	FMA B, A, V4 \
	FMA B, A, V5 \
	FMA B, A, V6 \
	FMA B, A, V7

// The sums in Z16 to Z19 += A V.
#define ADD8(FMA, A, V0, V1, V2, V3, V4, V5, V6, V7) \
	FMA V0, A, Z16 \
	FMA V1, A, Z17 \
	FMA V2, A, Z18 \
	FMA V3, A, Z19 \
	FMA V4, A, Z16 \
	FMA V5, A, Z17 \
	FMA V6, A, Z18 \
	FMA V7, A, Z19

// V = A V + a sum in memory, which it becomes.
#define ADD_STORE(FMA, OFF, A, V) \
	FMA     OFF(DX), A, V \
	VMOVUPD V, OFF(DX)

// Sixteen registers and those of the sums; a in Z30, b in Z31. N elements a turn.
#define CHAINS512(LOAD, SIZE, N, STEP, ADD) \
	ARGUMENTS                                                        \
	VMOVUPD (DX), Z16                                                \
	VMOVUPD 64(DX), Z17                                              \
	VMOVUPD 128(DX), Z18                                             \
	VMOVUPD 192(DX), Z19                                             \
turn:                                                                    \
	LOAD8(LOAD, SIZE, 0, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)             \
	LOAD8(LOAD, SIZE, 8, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)       \
	MOVQ  R8, R9                                                     \
	TESTQ R9, R9                                                     \
	JZ    last                                                       \
step:                                                                    \
	STEP8(STEP, Z30, Z31, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)            \
	STEP8(STEP, Z30, Z31, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)      \
	DECQ  R9                                                         \
	JNZ   step                                                       \
last:                                                                    \
	ADD8(ADD, Z30, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)                   \
	ADD8(ADD, Z30, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)             \
	ADDQ    $(16*SIZE), SI                                           \
	SUBQ    $N, CX                                                   \
	JNZ     turn                                                     \
	VMOVUPD Z16, (DX)                                                \
	VMOVUPD Z17, 64(DX)                                              \
	VMOVUPD Z18, 128(DX)                                             \
	VMOVUPD Z19, 192(DX)                                             \
	VZEROUPPER                                                       \
	RET

// Eight registers, the sums in memory; a in Y14, b in Y15. N elements a turn.
#define CHAINS256(LOAD, SIZE, N, STEP) \
	ARGUMENTS                                             \
turn:                                                         \
	LOAD8(LOAD, SIZE, 0, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)  \
	MOVQ  R8, R9                                          \
	TESTQ R9, R9                                          \
	JZ    last                                            \
step:                                                         \
	STEP8(STEP, Y14, Y15, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7) \
	DECQ  R9                                              \
	JNZ   step                                            \
last:                                                         \
	ADD_STORE(STEP, 0, Y14, Y0)                           \
	ADD_STORE(STEP, 32, Y14, Y1)                          \
	ADD_STORE(STEP, 64, Y14, Y2)                          \
	ADD_STORE(STEP, 96, Y14, Y3)                          \
	ADD_STORE(STEP, 128, Y14, Y4)                         \
	ADD_STORE(STEP, 160, Y14, Y5)                         \
	ADD_STORE(STEP, 192, Y14, Y6)                         \
	ADD_STORE(STEP, 224, Y14, Y7)                         \
	ADDQ $(8*SIZE), SI                                    \
	SUBQ $N, CX                                           \
	JNZ  turn                                             \
	VZEROUPPER                                            \
	RET

// func mulAddsAVX512(s *[32]float64, x *float64, n, k int, a, b float64)
TEXT ·mulAddsAVX512(SB), NOSPLIT, $0-48
	VBROADCASTSD a+32(FP), Z30
	VBROADCASTSD b+40(FP), Z31
	CHAINS512(VMOVUPD, 64, 128, VFMADD213PD, VFMADD231PD)

// func mulAddsMixedAVX512(s *[32]float64, x *float32, n, k int, a, b float64)
TEXT ·mulAddsMixedAVX512(SB), NOSPLIT, $0-48
	VBROADCASTSD a+32(FP), Z30
	VBROADCASTSD b+40(FP), Z31
	CHAINS512(VCVTPS2PD, 32, 128, VFMADD213PD, VFMADD231PD)

// func mulAdds32AVX512(s *[64]float32, x *float32, n, k int, a, b float32)
TEXT ·mulAdds32AVX512(SB), NOSPLIT, $0-40
	VBROADCASTSS a+32(FP), Z30
	VBROADCASTSS b+36(FP), Z31
	CHAINS512(VMOVUPS, 64, 256, VFMADD213PS, VFMADD231PS)

// func mulAddsAVX2(s *[32]float64, x *float64, n, k int, a, b float64)
TEXT ·mulAddsAVX2(SB), NOSPLIT, $0-48
	VBROADCASTSD a+32(FP), Y14
	VBROADCASTSD b+40(FP), Y15
	CHAINS256(VMOVUPD, 32, 32, VFMADD213PD)

// func mulAddsMixedAVX2(s *[32]float64, x *float32, n, k int, a, b float64)
TEXT ·mulAddsMixedAVX2(SB), NOSPLIT, $0-48
	VBROADCASTSD a+32(FP), Y14
	VBROADCASTSD b+40(FP), Y15
	CHAINS256(VCVTPS2PD, 16, 32, VFMADD213PD)

// func mulAdds32AVX2(s *[64]float32, x *float32, n, k int, a, b float32)
TEXT ·mulAdds32AVX2(SB), NOSPLIT, $0-40
	VBROADCASTSS a+32(FP), Y14
	VBROADCASTSS b+36(FP), Y15
	CHAINS256(VMOVUPS, 32, 64, VFMADD213PS)
