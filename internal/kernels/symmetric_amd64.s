//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "blocks_amd64.h"

// Kernels for slots of the lower triangle of a symmetric matrix. Besides what
// blocks_amd64.h says, x_i of the rows of a slice is in Z21, Z22, Z23, Z27, Z28 and
// Z29, and what is to be added to the sums of the columns in Z12 to Z17.

// A column of an element of the index, which counts blocks.
#define TIMES2(R) ADDQ R, R
#define TIMES3(R) LEAQ (R)(R*2), R
#define TIMES4(R) SHLQ $2, R
#define TIMES5(R) LEAQ (R)(R*4), R
#define TIMES6(R) TIMES3(R); ADDQ R, R

// Y += value * X and T += value * O, or T = value * O in the first row of a block,
// for the values of BITS or WHOLE.
#define BOTH(VALUE, X, Y, O, T) \
	VALUE; \
	VFMADD231PD X, Z20, Y; \
	VFMADD231PD O, Z20, T

#define BOTH_FIRST(VALUE, X, O, T) \
	VALUE; \
	VFMADD231PD X, Z20, Z0; \
	VMULPD      O, Z20, T

#define HEAD2(V) BOTH_FIRST(V, Z6, Z21, Z12); BOTH_FIRST(V, Z7, Z21, Z13)
#define HEAD3(V) HEAD2(V); BOTH_FIRST(V, Z8, Z21, Z14)
#define HEAD4(V) HEAD3(V); BOTH_FIRST(V, Z9, Z21, Z15)
#define HEAD5(V) HEAD4(V); BOTH_FIRST(V, Z10, Z21, Z16)
#define HEAD6(V) HEAD5(V); BOTH_FIRST(V, Z11, Z21, Z17)

#define LINE2(V, Y, O) NEXTROW; BOTH(V, Z6, Y, O, Z12); BOTH(V, Z7, Y, O, Z13)
#define LINE3(V, Y, O) LINE2(V, Y, O); BOTH(V, Z8, Y, O, Z14)
#define LINE4(V, Y, O) LINE3(V, Y, O); BOTH(V, Z9, Y, O, Z15)
#define LINE5(V, Y, O) LINE4(V, Y, O); BOTH(V, Z10, Y, O, Z16)
#define LINE6(V, Y, O) LINE5(V, Y, O); BOTH(V, Z11, Y, O, Z17)

#define LOWER2(V) HEAD2(V); LINE2(V, Z1, Z22)
#define LOWER3(V) HEAD3(V); LINE3(V, Z1, Z22); LINE3(V, Z2, Z23)
#define LOWER4(V) HEAD4(V); LINE4(V, Z1, Z22); LINE4(V, Z2, Z23); LINE4(V, Z3, Z27)
#define LOWER5(V) HEAD5(V); LINE5(V, Z1, Z22); LINE5(V, Z2, Z23); LINE5(V, Z3, Z27); LINE5(V, Z4, Z28)
#define LOWER6(V) HEAD6(V); LINE6(V, Z1, Z22); LINE6(V, Z2, Z23); LINE6(V, Z3, Z27); LINE6(V, Z4, Z28); LINE6(V, Z5, Z29)

// x of the rows as x of the columns, for blocks on the diagonal.
#define SAME2 VMOVAPD Z21, Z6; VMOVAPD Z22, Z7
#define SAME3 SAME2; VMOVAPD Z23, Z8
#define SAME4 SAME3; VMOVAPD Z27, Z9
#define SAME5 SAME4; VMOVAPD Z28, Z10
#define SAME6 SAME5; VMOVAPD Z29, Z11

#define OWN(i, Z) \
	KMOVB      K3, K4; \
	VPXORQ     Z, Z, Z; \
	VGATHERDPD (8*i)(R13)(Y18*8), K4, Z

#define OWN2 OWN(0, Z21); OWN(1, Z22)
#define OWN3 OWN2; OWN(2, Z23)
#define OWN4 OWN3; OWN(3, Z27)
#define OWN5 OWN4; OWN(4, Z28)
#define OWN6 OWN5; OWN(5, Z29)

// Two vectors of eight lanes as eight vectors of two, for each of which TO is done
// in the order of the lanes.
#define PAIRS(A, B, TO) \
	VUNPCKLPD     B, A, Z6; \
	VUNPCKHPD     B, A, Z7; \
	VEXTRACTF64X2 $1, Z6, X8; \
	VEXTRACTF64X2 $1, Z7, X9; \
	VEXTRACTF64X2 $2, Z6, X10; \
	VEXTRACTF64X2 $2, Z7, X11; \
	VEXTRACTF64X2 $3, Z6, X18; \
	VEXTRACTF64X2 $3, Z7, X19; \
	TO(0, X6); TO(1, X7); TO(2, X8); TO(3, X9); \
	TO(4, X10); TO(5, X11); TO(6, X18); TO(7, X19)

// Four vectors of eight lanes as eight vectors of four.
#define FOURS(A, B, C, D, TO) \
	VUNPCKLPD     B, A, Z6; \
	VUNPCKHPD     B, A, Z7; \
	VUNPCKLPD     D, C, Z8; \
	VUNPCKHPD     D, C, Z9; \
	VMOVAPD       Z6, Z10; \
	VMOVAPD       Z7, Z11; \
	VPERMT2PD     Z8, Z30, Z10; \
	VPERMT2PD     Z9, Z30, Z11; \
	VPERMT2PD     Z8, Z31, Z6; \
	VPERMT2PD     Z9, Z31, Z7; \
	VEXTRACTF64X4 $1, Z10, Y18; \
	VEXTRACTF64X4 $1, Z11, Y19; \
	VEXTRACTF64X4 $1, Z6, Y24; \
	VEXTRACTF64X4 $1, Z7, Y25; \
	TO(0, Y10); TO(1, Y11); TO(2, Y18); TO(3, Y19); \
	TO(4, Y6); TO(5, Y7); TO(6, Y24); TO(7, Y25)

// Lane l of the index, V added to its sums at AX, which are 2^shift bytes a block.
#define ADD(l, shift, at, V) \
	MOVWLZX (2*l)(R9), R14; \
	SHLQ    $shift, R14; \
	VADDPD  at(AX)(R14*1), V, V; \
	VMOVUPD V, at(AX)(R14*1)

#define ADD2(l, V) ADD(l, 4, 0, V)
#define ADD4(l, V) ADD(l, 5, 0, V)
#define ADD8(l, V) ADD(l, 6, 0, V)
#define ADD8HIGH(l, V) ADD(l, 6, 32, V)

#define COLUMNS2 PAIRS(Z12, Z13, ADD2)
#define COLUMNS3 VPXORQ Z15, Z15, Z15; COLUMNS4
#define COLUMNS4 FOURS(Z12, Z13, Z14, Z15, ADD4)
#define COLUMNS5 VPXORQ Z17, Z17, Z17; COLUMNS6
#define COLUMNS6 FOURS(Z12, Z13, Z14, Z15, ADD8); PAIRS(Z16, Z17, ADD8HIGH)

// The sums of a slice to the stack at AX, 64 bytes for each row.
#define SAVE(l, V) VMOVUPD V, (64*l)(AX)
#define SAVEHIGH(l, V) VMOVUPD V, (64*l+32)(AX)

#define ROWS2 PAIRS(Z0, Z1, SAVE)
#define ROWS4 FOURS(Z0, Z1, Z2, Z3, SAVE)
#define ROWS6 ROWS4; PAIRS(Z4, Z5, SAVEHIGH)

// A row from the stack added to its sums at (R13)(BX).
#define ADDROW(at, V) \
	VMOVUPD at(AX), V; \
	VADDPD  at(R13)(BX*1), V, V; \
	VMOVUPD V, at(R13)(BX*1)

#define ADDROW2 ADDROW(0, X6)
#define ADDROW4 ADDROW(0, Y6)
#define ADDROW6 ADDROW4; ADDROW(32, X6)

DATA count<>+0(SB)/8, $0x0000000100000000
DATA count<>+8(SB)/8, $0x0000000300000002
DATA count<>+16(SB)/8, $0x0000000500000004
DATA count<>+24(SB)/8, $0x0000000700000006
GLOBL count<>(SB), RODATA|NOPTR, $32

// Pairs of doubles of two vectors in turns: from the lower halves, and the upper.
DATA turns<>+0(SB)/8, $0
DATA turns<>+8(SB)/8, $1
DATA turns<>+16(SB)/8, $8
DATA turns<>+24(SB)/8, $9
DATA turns<>+32(SB)/8, $2
DATA turns<>+40(SB)/8, $3
DATA turns<>+48(SB)/8, $10
DATA turns<>+56(SB)/8, $11
DATA turns<>+64(SB)/8, $4
DATA turns<>+72(SB)/8, $5
DATA turns<>+80(SB)/8, $12
DATA turns<>+88(SB)/8, $13
DATA turns<>+96(SB)/8, $6
DATA turns<>+104(SB)/8, $7
DATA turns<>+112(SB)/8, $14
DATA turns<>+120(SB)/8, $15
GLOBL turns<>(SB), RODATA|NOPTR, $128

#define ARGUMENTS \
	MOVQ c+0(FP), DI; \
	MOVQ symmetricCall_groups(DI), SI; \
	MOVQ symmetricCall_count(DI), CX; \
	MOVQ symmetricCall_widths(DI), R8; \
	MOVQ symmetricCall_index(DI), R9; \
	MOVQ symmetricCall_values(DI), R10; \
	MOVQ symmetricCall_x(DI), R11; \
	MOVQ symmetricCall_tables(DI), R12; \
	XORL DX, DX

// R15: the number of rows of the slice, at most eight.
#define SLICEROWS \
	MOVQ    symmetricCall_rows(DI), R15; \
	SUBQ    DX, R15; \
	MOVL    $8, AX; \
	CMPQ    R15, AX; \
	CMOVQGT AX, R15

// The loop over the groups for blocks, with sums of 2^shift bytes a block. DX: the
// block rows done.
#define SYMMETRIC(b, shift, low, high, low2, high2, COLUMN, LOAD, OWN, LOWER, COLUMNS, SAME, BLOCK, ROWS, ADDROW) \
	MASK(low, K5); \
	MASK(high, K6); \
	MASK(low2, K1); \
	MASK(high2, K2); \
	ARGUMENTS; \
	VMOVDQU64 turns<>(SB), Z30; \
	VMOVDQU64 turns<>+64(SB), Z31; \
slice: \
	SLICEROWS; \
	MOVL  $255, AX; \
	BZHIL R15, AX, AX; \
	KMOVB AX, K3; \
	VPBROADCASTD DX, Y18; \
	VPADDD count<>(SB), Y18, Y18; \
	MOVQ  symmetricCall_order(DI), R14; \
	TESTQ R14, R14; \
	JZ    rows; \
	VMOVDQU16.Z (R14)(DX*2), K3, X18; \
	VPMOVZXWD X18, Y18; \
rows: \
	VMOVDQU32 Y18, rows-32(SP); \
	MOVL   $b, AX; \
	VPBROADCASTD AX, Y19; \
	VPMULLD Y19, Y18, Y18; \
	MOVQ   symmetricCall_xRow(DI), R13; \
	OWN; \
	NO_SUMS; \
group: \
	MOVL    (SI), AX; \
	MOVWLZX 4(SI), BX; \
	MOVWLZX 6(SI), R15; \
	MOVQ    AX, R13; \
	COLUMN(R13); \
	LEAQ    (R11)(R13*8), R13; \
	SUBQ    symmetricCall_from(DI), AX; \
	SHLQ    $shift, AX; \
	ADDQ    symmetricCall_sums(DI), AX; \
	MOVQ    AX, sums-40(SP); \
	TESTQ   BX, BX; \
	JZ      grouped; \
	TESTL   $const_Diagonal, R15; \
	JNZ     diagonal; \
	TESTL   $const_Float, R15; \
	JNZ     float; \
slot: \
	LOAD(COLUMN); \
	TABLES(bits); \
	STREAMS(b, symmetricCall_stream); \
	LOWER(WHOLE); \
columns: \
	MOVQ sums-40(SP), AX; \
	COLUMNS; \
	ADDQ $16, R9; \
	INCQ R8; \
	DECQ BX; \
	JNZ  slot; \
	JMP  grouped; \
bits: \
	SHIFTS; \
	STREAMS(b, symmetricCall_stream); \
	LOWER(BITS); \
	JMP columns; \
diagonal: \
	SAME; \
	TABLES(diagonalBits); \
	STREAMS(b, symmetricCall_stream); \
	BLOCK(BYTES); \
	INCQ R8; \
	DECQ BX; \
	JNZ  diagonal; \
	JMP  grouped; \
diagonalBits: \
	SHIFTS; \
	STREAMS(b, symmetricCall_stream); \
	BLOCK(INTEGER); \
	INCQ R8; \
	DECQ BX; \
	JNZ  diagonal; \
	JMP  grouped; \
float: \
	LOAD(COLUMN); \
	MOVL $32, AX; \
	STREAMS(b, symmetricCall_stream); \
	BLOCK(FLOAT32); \
	ADDQ $16, R9; \
	INCQ R8; \
	DECQ BX; \
	JNZ  float; \
grouped: \
	MOVWLZX 6(SI), R15; \
	ADDQ    $8, SI; \
	TESTL   $const_Last, R15; \
	JZ      next; \
	LEAQ    stack-552(SP), AX; \
	ROWS; \
	SLICEROWS; \
	ADDQ    R15, DX; \
	LEAQ    stack-552(SP), AX; \
	LEAQ    rows-32(SP), R14; \
	MOVQ    symmetricCall_sumsRow(DI), R13; \
row: \
	MOVL (R14), BX; \
	SHLQ $shift, BX; \
	ADDROW; \
	ADDQ $4, R14; \
	ADDQ $64, AX; \
	DECQ R15; \
	JNZ  row; \
	DECQ CX; \
	JNZ  slice; \
	VZEROUPPER; \
	RET; \
next: \
	DECQ CX; \
	JNZ  group; \
	VZEROUPPER; \
	RET

// func symmetric2AVX512(c *symmetricCall)
TEXT ·symmetric2AVX512(SB), 0, $560-8
	SYMMETRIC(2, 4, 0x03, 0x30, 0, 0, TIMES2, LOAD2, OWN2, LOWER2, COLUMNS2, SAME2, BLOCK2, ROWS2, ADDROW2)

// func symmetric3AVX512(c *symmetricCall)
TEXT ·symmetric3AVX512(SB), 0, $560-8
	SYMMETRIC(3, 5, 0x07, 0x70, 0, 0, TIMES3, LOAD3, OWN3, LOWER3, COLUMNS3, SAME3, BLOCK3, ROWS4, ADDROW4)

// func symmetric4AVX512(c *symmetricCall)
TEXT ·symmetric4AVX512(SB), 0, $560-8
	SYMMETRIC(4, 5, 0x0f, 0xf0, 0, 0, TIMES4, LOAD4, OWN4, LOWER4, COLUMNS4, SAME4, BLOCK4, ROWS4, ADDROW4)

// func symmetric5AVX512(c *symmetricCall)
TEXT ·symmetric5AVX512(SB), 0, $560-8
	SYMMETRIC(5, 6, 0x07, 0x70, 0x03, 0x30, TIMES5, LOAD5, OWN5, LOWER5, COLUMNS5, SAME5, BLOCK5, ROWS6, ADDROW6)

// func symmetric6AVX512(c *symmetricCall)
TEXT ·symmetric6AVX512(SB), 0, $560-8
	SYMMETRIC(6, 6, 0x07, 0x70, 0, 0, TIMES6, LOAD6, OWN6, LOWER6, COLUMNS6, SAME6, BLOCK6, ROWS6, ADDROW6)
