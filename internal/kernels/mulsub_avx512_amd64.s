//go:build !purego

#include "textflag.h"

// C -= A B in tiles of 8 rows, 4 or 1 and 24 columns or 8, which stay in registers while k runs.
// Columns beyond the last are masked.
//
//	DI  C at the tile	R8   its row in bytes
//	SI  A at the tile	R9   its row in bytes
//	DX  B at the tile	R10  its row in bytes
//	R11 rows left		R12  columns left
//	R13 k left		AX   B at that row
//	BX, CX  the first and fifth row of A or C
//	R14, R15  three rows of C and of A
//	K1, K2, K3  the columns of the tile
#define MULSUB24(A, V0, V1, V2) \
	VBROADCASTSD A, Z27       \
	VFNMADD231PD Z24, Z27, V0 \
	VFNMADD231PD Z25, Z27, V1 \
	VFNMADD231PD Z26, Z27, V2

#define LOAD24(C, V0, V1, V2) \
	VMOVUPD.Z 0 C, K1, V0  \
	VMOVUPD.Z 64 C, K2, V1 \
	VMOVUPD.Z 128 C, K3, V2

#define STORE24(C, V0, V1, V2) \
	VMOVUPD V0, K1, 0 C  \
	VMOVUPD V1, K2, 64 C \
	VMOVUPD V2, K3, 128 C

// func mulSub512(c, a, b *float64, strideC, strideA, strideB, m, n, k int)
TEXT ·mulSub512(SB), NOSPLIT, $8-72
	MOVQ c+0(FP), DI
	MOVQ b+16(FP), DX
	MOVQ strideC+24(FP), R8
	MOVQ strideA+32(FP), R9
	MOVQ strideB+40(FP), R10
	SHLQ $3, R8
	SHLQ $3, R9
	SHLQ $3, R10
	MOVQ n+56(FP), R12

strip:
	MOVQ  $-1, AX // columns left, up to 63, as bits
	CMPQ  R12, $63
	JGT   masks
	BZHIQ R12, AX, AX

masks:
	KMOVB AX, K1
	SHRQ  $8, AX
	KMOVB AX, K2
	SHRQ  $8, AX
	KMOVB AX, K3
	LEAQ  (R8)(R8*2), R14
	LEAQ  (R9)(R9*2), R15
	MOVQ  DI, tile-8(SP)
	MOVQ  a+8(FP), SI
	MOVQ  m+48(FP), R11
	CMPQ  R12, $8
	JLE   narrow

eight:
	CMPQ R11, $8
	JLT  four
	LEAQ (DI)(R8*4), CX
	LOAD24((DI), Z0, Z1, Z2)
	LOAD24((DI)(R8*1), Z3, Z4, Z5)
	LOAD24((DI)(R8*2), Z6, Z7, Z8)
	LOAD24((DI)(R14*1), Z9, Z10, Z11)
	LOAD24((CX), Z12, Z13, Z14)
	LOAD24((CX)(R8*1), Z15, Z16, Z17)
	LOAD24((CX)(R8*2), Z18, Z19, Z20)
	LOAD24((CX)(R14*1), Z21, Z22, Z23)
	MOVQ SI, BX
	LEAQ (SI)(R9*4), CX
	MOVQ DX, AX
	MOVQ k+64(FP), R13

eightStep:
	LOAD24((AX), Z24, Z25, Z26)
	MULSUB24((BX), Z0, Z1, Z2)
	MULSUB24((BX)(R9*1), Z3, Z4, Z5)
	MULSUB24((BX)(R9*2), Z6, Z7, Z8)
	MULSUB24((BX)(R15*1), Z9, Z10, Z11)
	MULSUB24((CX), Z12, Z13, Z14)
	MULSUB24((CX)(R9*1), Z15, Z16, Z17)
	MULSUB24((CX)(R9*2), Z18, Z19, Z20)
	MULSUB24((CX)(R15*1), Z21, Z22, Z23)
	ADDQ R10, AX
	ADDQ $8, BX
	ADDQ $8, CX
	DECQ R13
	JNZ  eightStep
	LEAQ (DI)(R8*4), CX
	STORE24((DI), Z0, Z1, Z2)
	STORE24((DI)(R8*1), Z3, Z4, Z5)
	STORE24((DI)(R8*2), Z6, Z7, Z8)
	STORE24((DI)(R14*1), Z9, Z10, Z11)
	STORE24((CX), Z12, Z13, Z14)
	STORE24((CX)(R8*1), Z15, Z16, Z17)
	STORE24((CX)(R8*2), Z18, Z19, Z20)
	STORE24((CX)(R14*1), Z21, Z22, Z23)
	LEAQ (DI)(R8*8), DI
	LEAQ (SI)(R9*8), SI
	SUBQ $8, R11
	JMP  eight

four:
	CMPQ R11, $4
	JLT  one
	LOAD24((DI), Z0, Z1, Z2)
	LOAD24((DI)(R8*1), Z3, Z4, Z5)
	LOAD24((DI)(R8*2), Z6, Z7, Z8)
	LOAD24((DI)(R14*1), Z9, Z10, Z11)
	MOVQ SI, BX
	MOVQ DX, AX
	MOVQ k+64(FP), R13

fourStep:
	LOAD24((AX), Z24, Z25, Z26)
	MULSUB24((BX), Z0, Z1, Z2)
	MULSUB24((BX)(R9*1), Z3, Z4, Z5)
	MULSUB24((BX)(R9*2), Z6, Z7, Z8)
	MULSUB24((BX)(R15*1), Z9, Z10, Z11)
	ADDQ R10, AX
	ADDQ $8, BX
	DECQ R13
	JNZ  fourStep
	STORE24((DI), Z0, Z1, Z2)
	STORE24((DI)(R8*1), Z3, Z4, Z5)
	STORE24((DI)(R8*2), Z6, Z7, Z8)
	STORE24((DI)(R14*1), Z9, Z10, Z11)
	LEAQ (DI)(R8*4), DI
	LEAQ (SI)(R9*4), SI
	SUBQ $4, R11

one:
	TESTQ R11, R11
	JZ    next
	LOAD24((DI), Z0, Z1, Z2)
	MOVQ  SI, BX
	MOVQ  DX, AX
	MOVQ  k+64(FP), R13

oneStep:
	LOAD24((AX), Z24, Z25, Z26)
	MULSUB24((BX), Z0, Z1, Z2)
	ADDQ R10, AX
	ADDQ $8, BX
	DECQ R13
	JNZ  oneStep
	STORE24((DI), Z0, Z1, Z2)
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ R11
	JMP  one

narrow:
	CMPQ R11, $8
	JLT  narrowOne
	LEAQ (DI)(R8*4), CX
	VMOVUPD.Z (DI), K1, Z0
	VMOVUPD.Z (DI)(R8*1), K1, Z1
	VMOVUPD.Z (DI)(R8*2), K1, Z2
	VMOVUPD.Z (DI)(R14*1), K1, Z3
	VMOVUPD.Z (CX), K1, Z4
	VMOVUPD.Z (CX)(R8*1), K1, Z5
	VMOVUPD.Z (CX)(R8*2), K1, Z6
	VMOVUPD.Z (CX)(R14*1), K1, Z7
	MOVQ SI, BX
	LEAQ (SI)(R9*4), CX
	MOVQ DX, AX
	MOVQ k+64(FP), R13

narrowStep:
	VMOVUPD.Z (AX), K1, Z24
	VFNMADD231PD.BCST (BX), Z24, Z0
	VFNMADD231PD.BCST (BX)(R9*1), Z24, Z1
	VFNMADD231PD.BCST (BX)(R9*2), Z24, Z2
	VFNMADD231PD.BCST (BX)(R15*1), Z24, Z3
	VFNMADD231PD.BCST (CX), Z24, Z4
	VFNMADD231PD.BCST (CX)(R9*1), Z24, Z5
	VFNMADD231PD.BCST (CX)(R9*2), Z24, Z6
	VFNMADD231PD.BCST (CX)(R15*1), Z24, Z7
	ADDQ R10, AX
	ADDQ $8, BX
	ADDQ $8, CX
	DECQ R13
	JNZ  narrowStep
	LEAQ (DI)(R8*4), CX
	VMOVUPD Z0, K1, (DI)
	VMOVUPD Z1, K1, (DI)(R8*1)
	VMOVUPD Z2, K1, (DI)(R8*2)
	VMOVUPD Z3, K1, (DI)(R14*1)
	VMOVUPD Z4, K1, (CX)
	VMOVUPD Z5, K1, (CX)(R8*1)
	VMOVUPD Z6, K1, (CX)(R8*2)
	VMOVUPD Z7, K1, (CX)(R14*1)
	LEAQ (DI)(R8*8), DI
	LEAQ (SI)(R9*8), SI
	SUBQ $8, R11
	JMP  narrow

narrowOne:
	TESTQ R11, R11
	JZ    next
	VMOVUPD.Z (DI), K1, Z0
	MOVQ  SI, BX
	MOVQ  DX, AX
	MOVQ  k+64(FP), R13

narrowOneStep:
	VMOVUPD.Z (AX), K1, Z24
	VFNMADD231PD.BCST (BX), Z24, Z0
	ADDQ R10, AX
	ADDQ $8, BX
	DECQ R13
	JNZ  narrowOneStep
	VMOVUPD Z0, K1, (DI)
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ R11
	JMP  narrowOne

next:
	MOVQ tile-8(SP), DI
	ADDQ $192, DI
	ADDQ $192, DX
	SUBQ $24, R12
	JG   strip
	VZEROUPPER
	RET
