//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "blocks_amd64.h"

// Kernels for slots of b x b blocks, b = 2 to 6: eight blocks, one for each of
// eight block rows.

// The index is in columns.
#define AS_IT_IS(R)

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

DATA iota<>+0(SB)/8, $0x0000000100000000
DATA iota<>+8(SB)/8, $0x0000000300000002
DATA iota<>+16(SB)/8, $0x0000000500000004
DATA iota<>+24(SB)/8, $0x0000000700000006
GLOBL iota<>(SB), RODATA|NOPTR, $32

// The loop over the groups, with b, the masks of the loads, and what makes x and
// the products. DX: the block rows done.
#define BLOCKS(b, low, high, low2, high2, LOAD, BLOCK, ALL) \
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
	NO_SUMS; \
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
	LOAD(AS_IT_IS); \
	TABLES(bits); \
	STREAMS(b, slotCall_stream); \
	BLOCK(BYTES); \
	ADDQ       $16, R9; \
	INCQ       R8; \
	DECQ       BX; \
	JNZ        slot; \
	JMP        grouped; \
bits: \
	SHIFTS; \
	STREAMS(b, slotCall_stream); \
	BLOCK(INTEGER); \
	ADDQ       $16, R9; \
	INCQ       R8; \
	DECQ       BX; \
	JNZ        slot; \
	JMP        grouped; \
float: \
	LOAD(AS_IT_IS); \
	MOVL $32, AX; \
	STREAMS(b, slotCall_stream); \
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
	BLOCKS(2, 0x03, 0x30, 0, 0, LOAD2, BLOCK2, ALL2)

// func blocks3AVX512(c *slotCall)
TEXT ·blocks3AVX512(SB), NOSPLIT, $0-8
	BLOCKS(3, 0x07, 0x70, 0, 0, LOAD3, BLOCK3, ALL3)

// func blocks4AVX512(c *slotCall)
TEXT ·blocks4AVX512(SB), NOSPLIT, $0-8
	BLOCKS(4, 0x0f, 0xf0, 0, 0, LOAD4, BLOCK4, ALL4)

// func blocks5AVX512(c *slotCall)
TEXT ·blocks5AVX512(SB), NOSPLIT, $0-8
	BLOCKS(5, 0x07, 0x70, 0x03, 0x30, LOAD5, BLOCK5, ALL5)

// func blocks6AVX512(c *slotCall)
TEXT ·blocks6AVX512(SB), NOSPLIT, $0-8
	BLOCKS(6, 0x07, 0x70, 0, 0, LOAD6, BLOCK6, ALL6)
