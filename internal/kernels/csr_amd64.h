// What the CSR kernels share.
//
// The rows of a call are split into two parts of as many rows, A and B, which
// are walked in turns, a row of A and a row of B, so that two streams of memory
// are read at once. The sums of four rows of each part are in eight registers,
// whose elements are added by a transposition. Up to seven rows are left over;
// they come singly, their elements added in the same order, so that a sum
// depends on its row alone.
//
//	DI  dst of A, R11 bytes before that of B
//	SI  rowPtr of A, R11 bytes before that of B
//	R8  col		R9  val		R10  x
//	AX  position in A	BX  position in B
//	CX  turns left, of four rows of A and of B	R13  rows left over
#define SPLIT \
	MOVQ dst+0(FP), DI     \
	MOVQ n+8(FP), CX       \
	MOVQ rowPtr+16(FP), SI \
	MOVQ col+24(FP), R8    \
	MOVQ val+32(FP), R9    \
	MOVQ x+40(FP), R10     \
	MOVQ CX, R13           \
	ANDQ $7, R13           \
	SHRQ $3, CX            \
	MOVQ CX, R11           \
	SHLQ $5, R11           \
	MOVQ (SI), AX          \
	MOVQ (SI)(R11*1), BX

// From the rows of A to those left over, behind B.
#define LEFT_OVER \
	ADDQ R11, DI \
	ADDQ R11, SI \
	MOVQ R13, CX \
	MOVQ (SI), AX

// Prefetch of the elements 256 behind position P; a value has SIZE bytes.
#define PREFETCH(P, SIZE) \
	PREFETCHT0 (256*SIZE)(R9)(P*SIZE) \
	PREFETCHT0 (256*4)(R8)(P*4)
