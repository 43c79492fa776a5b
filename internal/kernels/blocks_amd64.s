//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Kernels for slots of b x b blocks, b = 2 to 6: eight blocks, one for each of
// eight block rows. Of every block the vector x_j, j < b, is in Z6 to Z11, that of
// the sums y_i, i < b, in Z0 to Z5.

// Two elements of the index, the blocks of two lanes, to the halves of V (low half
// H), for the columns from byte `at` on; the masks KL and KH say which columns.
#define TWO(at, i, j, KL, KH, H, V) \
	MOVWLZX         (2*i)(R9), R14; \
	MOVWLZX         (2*j)(R9), R15; \
	VMOVUPD.Z       at(R13)(R14*8), KL, H; \
	VBROADCASTF64X4 at(R13)(R15*8), KH, V

// Up to four columns of eight blocks as vectors: even columns from Z16 and Z17,
// odd ones from Z18 and Z19, by VSHUFF64X2.
#define TRANSPOSE(at, KL, KH) \
	TWO(at, 0, 2, KL, KH, Y12, Z12); \
	TWO(at, 1, 3, KL, KH, Y13, Z13); \
	TWO(at, 4, 6, KL, KH, Y14, Z14); \
	TWO(at, 5, 7, KL, KH, Y15, Z15); \
	VUNPCKLPD Z13, Z12, Z16; \
	VUNPCKLPD Z15, Z14, Z17; \
	VUNPCKHPD Z13, Z12, Z18; \
	VUNPCKHPD Z15, Z14, Z19

#define FIRST(Z) VSHUFF64X2 $0x88, Z17, Z16, Z
#define SECOND(Z) VSHUFF64X2 $0x88, Z19, Z18, Z
#define THIRD(Z) VSHUFF64X2 $0xdd, Z17, Z16, Z
#define FOURTH(Z) VSHUFF64X2 $0xdd, Z19, Z18, Z

// Y += value * X for the integers at R14, AX bytes.
#define INTEGER(X, Y) \
	VPERMB      (R14), Z24, Z20; \
	VPSLLVQ     Z25, Z20, Z20; \
	VPSRAVQ     Z26, Z20, Z20; \
	VCVTQQ2PD   Z20, Z20; \
	VFMADD231PD X, Z20, Y; \
	PREFETCHT0  4096(R14); \
	ADDQ        AX, R14

// The same for whole bytes.
#define BYTES(X, Y) \
	VMOVDQA64   Z25, Z20; \
	VPERMB      (R14), Z24, K7, Z20; \
	VSUBPD      Z26, Z20, Z20; \
	VFMADD231PD X, Z20, Y; \
	PREFETCHT0  4096(R14); \
	ADDQ        AX, R14

#define FLOAT32(X, Y) \
	VCVTPS2PD   (R14), Z20; \
	VFMADD231PD X, Z20, Y; \
	ADDQ        $32, R14

#define ROW2(VALUE, Y) VALUE(Z6, Y); VALUE(Z7, Y)
#define ROW3(VALUE, Y) ROW2(VALUE, Y); VALUE(Z8, Y)
#define ROW4(VALUE, Y) ROW3(VALUE, Y); VALUE(Z9, Y)
#define ROW5(VALUE, Y) ROW4(VALUE, Y); VALUE(Z10, Y)
#define ROW6(VALUE, Y) ROW5(VALUE, Y); VALUE(Z11, Y)

// Each row of a block is in a stream of its own. R14 is where this row is; R15 is
// from its end to the begin of the next one.
#define STREAMS(b) \
	IMUL3Q $b, AX, R14; \
	MOVQ   slotCall_stream(DI), R15; \
	SUBQ   R14, R15; \
	ADDQ   R10, R14; \
	XCHGQ  R10, R14

#define NEXTROW ADDQ R15, R14

#define BLOCK2(VALUE) ROW2(VALUE, Z0); NEXTROW; ROW2(VALUE, Z1)
#define BLOCK3(VALUE) ROW3(VALUE, Z0); NEXTROW; ROW3(VALUE, Z1); NEXTROW; ROW3(VALUE, Z2)
#define BLOCK4(VALUE) ROW4(VALUE, Z0); NEXTROW; ROW4(VALUE, Z1); NEXTROW; ROW4(VALUE, Z2); NEXTROW; ROW4(VALUE, Z3)
#define BLOCK5(VALUE) ROW5(VALUE, Z0); NEXTROW; ROW5(VALUE, Z1); NEXTROW; ROW5(VALUE, Z2); NEXTROW; ROW5(VALUE, Z3); NEXTROW; ROW5(VALUE, Z4)
#define BLOCK6(VALUE) ROW6(VALUE, Z0); NEXTROW; ROW6(VALUE, Z1); NEXTROW; ROW6(VALUE, Z2); NEXTROW; ROW6(VALUE, Z3); NEXTROW; ROW6(VALUE, Z4); NEXTROW; ROW6(VALUE, Z5)

#define X2 TRANSPOSE(0, K5, K6); FIRST(Z6); SECOND(Z7)
#define X3 TRANSPOSE(0, K5, K6); FIRST(Z6); SECOND(Z7); THIRD(Z8)
#define X4 TRANSPOSE(0, K5, K6); FIRST(Z6); SECOND(Z7); THIRD(Z8); FOURTH(Z9)
#define X5 X3; TRANSPOSE(24, K1, K2); FIRST(Z9); SECOND(Z10)
#define X6 X3; TRANSPOSE(24, K5, K6); FIRST(Z9); SECOND(Z10); THIRD(Z11)

// Rows Y4 + i of the result from the sums Y, in units of 2^exp.
#define UNITS(i, Y) \
	KMOVB      K3, K4; \
	VPXORQ     Z21, Z21, Z21; \
	VPGATHERDD (4*i)(AX)(Y23*4), K4, Y21; \
	VPMOVSXDQ  Y21, Z21; \
	VPADDQ     Z31, Z21, Z21; \
	VPSLLQ     $52, Z21, Z21; \
	VMULPD     Z21, Y, Y

#define UNIT(i, Y) VMULPD Z30, Y, Y

#define SCATTER(i, Y) \
	KMOVB       K3, K4; \
	VSCATTERDPD Y, K4, (8*i)(R13)(Y23*8); \
	VPXORQ      Y, Y, Y

#define ALL2(DO) DO(0, Z0); DO(1, Z1)
#define ALL3(DO) ALL2(DO); DO(2, Z2)
#define ALL4(DO) ALL3(DO); DO(3, Z3)
#define ALL5(DO) ALL4(DO); DO(4, Z4)
#define ALL6(DO) ALL5(DO); DO(5, Z5)

#define MASK(bits, K) \
	MOVL  $bits, AX; \
	KMOVB AX, K

DATA two52<>+0(SB)/8, $0x4330000000000000
GLOBL two52<>(SB), RODATA|NOPTR, $8

DATA iota<>+0(SB)/8, $0x0000000100000000
DATA iota<>+8(SB)/8, $0x0000000300000002
DATA iota<>+16(SB)/8, $0x0000000500000004
DATA iota<>+24(SB)/8, $0x0000000700000006
GLOBL iota<>(SB), RODATA|NOPTR, $32

// The loop over the groups, with b, the masks of the loads, and what makes x and
// the products. DX: the block rows done.
#define BLOCKS(b, low, high, low2, high2, X, BLOCK, ALL) \
	MASK(low, K5); \
	MASK(high, K6); \
	MASK(low2, K1); \
	MASK(high2, K2); \
	MOVQ         c+0(FP), DI; \
	MOVQ         slotCall_groups(DI), SI; \
	MOVQ         slotCall_widths(DI), R8; \
	MOVQ         slotCall_index(DI), R9; \
	MOVQ         slotCall_values(DI), R10; \
	MOVQ         slotCall_x(DI), R11; \
	MOVQ         slotCall_tables(DI), R12; \
	VBROADCASTSD slotCall_factor(DI), Z30; \
	VPBROADCASTQ slotCall_bias(DI), Z31; \
	MOVL         $b, AX; \
	VPBROADCASTD AX, Y29; \
	XORL         DX, DX; \
	VPXORQ       Z0, Z0, Z0; \
	VPXORQ       Z1, Z1, Z1; \
	VPXORQ       Z2, Z2, Z2; \
	VPXORQ       Z3, Z3, Z3; \
	VPXORQ       Z4, Z4, Z4; \
	VPXORQ       Z5, Z5, Z5; \
group: \
	MOVL    (SI), AX; \
	MOVWLZX 4(SI), BX; \
	MOVWLZX 6(SI), R15; \
	LEAQ    (R11)(AX*8), R13; \
	TESTQ   BX, BX; \
	JZ      grouped; \
	TESTL   $const_Float, R15; \
	JNZ     float; \
slot: \
	X; \
	MOVBLZX    (R8), AX; \
	MOVL       AX, R15; \
	SHLL       $8, R15; \
	VMOVDQU64  (R12)(R15*1), Z24; \
	PREFETCHT0 1024(R9); \
	TESTL      $7, AX; \
	JNZ        bits; \
	CMPL       AX, $48; \
	JGT        bits; \
	KMOVQ        slotTable_bytes(R12)(R15*1), K7; \
	VBROADCASTSD slotTable_minus(R12)(R15*1), Z26; \
	VPBROADCASTQ two52<>(SB), Z25; \
	STREAMS(b); \
	BLOCK(BYTES); \
	ADDQ       $16, R9; \
	INCQ       R8; \
	DECQ       BX; \
	JNZ        slot; \
	JMP        grouped; \
bits: \
	VMOVDQU64  slotTable_up(R12)(R15*1), Z25; \
	VMOVDQU64  slotTable_down(R12)(R15*1), Z26; \
	STREAMS(b); \
	BLOCK(INTEGER); \
	ADDQ       $16, R9; \
	INCQ       R8; \
	DECQ       BX; \
	JNZ        slot; \
	JMP        grouped; \
float: \
	X; \
	MOVL $32, AX; \
	STREAMS(b); \
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
	MOVQ    slotCall_rows(DI), R15; \
	SUBQ    DX, R15; \
	MOVL    $8, AX; \
	CMPQ    R15, AX; \
	CMOVQGT AX, R15; \
	MOVL    $255, AX; \
	BZHIL   R15, AX, AX; \
	KMOVB   AX, K3; \
	MOVQ    slotCall_dst(DI), R13; \
	MOVQ    slotCall_order(DI), R14; \
	VPBROADCASTD DX, Y23; \
	VPADDD  iota<>(SB), Y23, Y23; \
	TESTQ   R14, R14; \
	JZ      rows; \
	VMOVDQU16.Z (R14)(DX*2), K3, X23; \
	VPMOVZXWD X23, Y23; \
rows: \
	VPMULLD Y29, Y23, Y23; \
	ADDQ    R15, DX; \
	MOVQ    slotCall_exp(DI), AX; \
	TESTQ   AX, AX; \
	JZ      unit; \
	ALL(UNITS); \
	JMP     scatter; \
unit: \
	ALL(UNIT); \
scatter: \
	ALL(SCATTER); \
next: \
	DECQ slotCall_count(DI); \
	JNZ  group; \
	VZEROUPPER; \
	RET

// func blocks2AVX512(c *slotCall)
TEXT ·blocks2AVX512(SB), NOSPLIT, $0-8
	BLOCKS(2, 0x03, 0x30, 0, 0, X2, BLOCK2, ALL2)

// func blocks3AVX512(c *slotCall)
TEXT ·blocks3AVX512(SB), NOSPLIT, $0-8
	BLOCKS(3, 0x07, 0x70, 0, 0, X3, BLOCK3, ALL3)

// func blocks4AVX512(c *slotCall)
TEXT ·blocks4AVX512(SB), NOSPLIT, $0-8
	BLOCKS(4, 0x0f, 0xf0, 0, 0, X4, BLOCK4, ALL4)

// func blocks5AVX512(c *slotCall)
TEXT ·blocks5AVX512(SB), NOSPLIT, $0-8
	BLOCKS(5, 0x07, 0x70, 0x03, 0x30, X5, BLOCK5, ALL5)

// func blocks6AVX512(c *slotCall)
TEXT ·blocks6AVX512(SB), NOSPLIT, $0-8
	BLOCKS(6, 0x07, 0x70, 0, 0, X6, BLOCK6, ALL6)
