//go:build !purego

#include "textflag.h"

// mulSubMasks are those of the last columns of a tile, from 8 less their number on.
DATA mulSubMasks<>+0(SB)/8, $-1
DATA mulSubMasks<>+8(SB)/8, $-1
DATA mulSubMasks<>+16(SB)/8, $-1
DATA mulSubMasks<>+24(SB)/8, $-1
DATA mulSubMasks<>+32(SB)/8, $-1
DATA mulSubMasks<>+40(SB)/8, $-1
DATA mulSubMasks<>+48(SB)/8, $-1
DATA mulSubMasks<>+56(SB)/8, $-1
DATA mulSubMasks<>+64(SB)/8, $0
DATA mulSubMasks<>+72(SB)/8, $0
DATA mulSubMasks<>+80(SB)/8, $0
DATA mulSubMasks<>+88(SB)/8, $0
DATA mulSubMasks<>+96(SB)/8, $0
DATA mulSubMasks<>+104(SB)/8, $0
DATA mulSubMasks<>+112(SB)/8, $0
DATA mulSubMasks<>+120(SB)/8, $0
GLOBL mulSubMasks<>(SB), NOPTR|RODATA, $128

// C -= A B in tiles of 4 rows or 1 and 8 columns, which stay in registers while k runs.
// Columns beyond the last are masked.
//
//	DI  C at the tile	R8   its row in bytes
//	SI  A at the tile	R9   its row in bytes
//	DX  B at the tile	R10  its row in bytes
//	R11 rows left		R12  columns left
//	R13 k left		AX   B at that row
//	BX  A at that column	R14, R15  three rows of C and of A
//	Y14, Y15  the columns of the tile
#define MULSUB8(A, V0, V1) \
	VBROADCASTSD A, Y10      \
	VFNMADD231PD Y8, Y10, V0 \
	VFNMADD231PD Y9, Y10, V1

#define LOAD8(C, V0, V1) \
	VMASKMOVPD 0 C, Y14, V0 \
	VMASKMOVPD 32 C, Y15, V1

#define STORE8(C, V0, V1) \
	VMASKMOVPD V0, Y14, 0 C \
	VMASKMOVPD V1, Y15, 32 C

// func mulSub256(c, a, b *float64, strideC, strideA, strideB, m, n, k int)
TEXT ·mulSub256(SB), NOSPLIT, $8-72
	MOVQ c+0(FP), DI
	MOVQ b+16(FP), DX
	MOVQ strideC+24(FP), R8
	MOVQ strideA+32(FP), R9
	MOVQ strideB+40(FP), R10
	SHLQ $3, R8
	SHLQ $3, R9
	SHLQ $3, R10
	LEAQ (R8)(R8*2), R14
	LEAQ (R9)(R9*2), R15
	MOVQ n+56(FP), R12

strip:
	MOVQ $8, AX
	CMPQ R12, AX
	CMOVQLT R12, AX
	NEGQ AX
	LEAQ mulSubMasks<>+64(SB), BX
	VMOVUPD (BX)(AX*8), Y14
	VMOVUPD 32(BX)(AX*8), Y15
	MOVQ DI, tile-8(SP)
	MOVQ a+8(FP), SI
	MOVQ m+48(FP), R11

four:
	CMPQ R11, $4
	JLT  one
	LOAD8((DI), Y0, Y1)
	LOAD8((DI)(R8*1), Y2, Y3)
	LOAD8((DI)(R8*2), Y4, Y5)
	LOAD8((DI)(R14*1), Y6, Y7)
	MOVQ SI, BX
	MOVQ DX, AX
	MOVQ k+64(FP), R13

fourStep:
	LOAD8((AX), Y8, Y9)
	MULSUB8((BX), Y0, Y1)
	MULSUB8((BX)(R9*1), Y2, Y3)
	MULSUB8((BX)(R9*2), Y4, Y5)
	MULSUB8((BX)(R15*1), Y6, Y7)
	ADDQ R10, AX
	ADDQ $8, BX
	DECQ R13
	JNZ  fourStep
	STORE8((DI), Y0, Y1)
	STORE8((DI)(R8*1), Y2, Y3)
	STORE8((DI)(R8*2), Y4, Y5)
	STORE8((DI)(R14*1), Y6, Y7)
	LEAQ (DI)(R8*4), DI
	LEAQ (SI)(R9*4), SI
	SUBQ $4, R11
	JMP  four

one:
	TESTQ R11, R11
	JZ    next
	LOAD8((DI), Y0, Y1)
	MOVQ  SI, BX
	MOVQ  DX, AX
	MOVQ  k+64(FP), R13

oneStep:
	LOAD8((AX), Y8, Y9)
	MULSUB8((BX), Y0, Y1)
	ADDQ R10, AX
	ADDQ $8, BX
	DECQ R13
	JNZ  oneStep
	STORE8((DI), Y0, Y1)
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ R11
	JMP  one

next:
	MOVQ tile-8(SP), DI
	ADDQ $64, DI
	ADDQ $64, DX
	SUBQ $8, R12
	JG   strip
	VZEROUPPER
	RET
