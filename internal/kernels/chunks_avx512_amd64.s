//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The values of a slot as float32 to Z2; R10 goes on to the next slot.
#define INTS \
	VPMOVSXWD  (R10), Z2; \
	PREFETCHT0 2048(R10); \
	VCVTDQ2PS  Z2, Z2; \
	ADDQ       $32, R10

#define FLOATS \
	VMOVUPS    (R10), Z2; \
	PREFETCHT0 2048(R10); \
	ADDQ       $64, R10

// The address of the element of x at the base of a slot to BX; R8 goes on to the next.
#define BASE \
	MOVLQSX (R8), AX; \
	LEAQ    (R11)(AX*4), BX; \
	ADDQ    $4, R8

// Four elements of x, whose indices of SIZE bytes are at R9 + N, from P to X. Loads of single
// elements take less than half the time of a gather on Zen, and no longer elsewhere.
#define ELEMENTS(LOAD, SIZE, N, P, X) \
	LOAD      (N)*SIZE(R9), AX; \
	LOAD      (N+1)*SIZE(R9), R15; \
	VMOVSS    (P)(AX*4), X; \
	VINSERTPS $16, (P)(R15*4), X, X; \
	LOAD      (N+2)*SIZE(R9), AX; \
	LOAD      (N+3)*SIZE(R9), R15; \
	VINSERTPS $32, (P)(AX*4), X, X; \
	VINSERTPS $48, (P)(R15*4), X, X

// All of a slot to Z4.
#define GATHER(LOAD, SIZE, P) \
	ELEMENTS(LOAD, SIZE, 0, P, X4); \
	ELEMENTS(LOAD, SIZE, 4, P, X5); \
	ELEMENTS(LOAD, SIZE, 8, P, X6); \
	ELEMENTS(LOAD, SIZE, 12, P, X7); \
	VINSERTF128   $1, X5, Y4, Y4; \
	VINSERTF128   $1, X7, Y6, Y6; \
	VINSERTF64X4  $1, Y6, Z4, Z4

#define ADD_PRODUCTS \
	VMULPS Z4, Z2, Z2; \
	VADDPS Z2, Z0, Z0

// The products of chunks, whose sums are in Z0.
//
//	DI  the call	SI  head	R8  base	R9  index	R10  values	R11  x
//	DX  bytes from the first row of a vector to those of the chunk
//	R12  dst	R13  b	R14  v	CX  slots left
#define CHUNKS(VALUES) \
	MOVQ         c+0(FP), DI; \
	MOVQ         values+8(FP), R10; \
	MOVQ         chunkCall_heads(DI), SI; \
	MOVQ         chunkCall_base(DI), R8; \
	MOVQ         chunkCall_index(DI), R9; \
	MOVQ         chunkCall_x(DI), R11; \
	MOVQ         chunkCall_dst(DI), R12; \
	MOVQ         chunkCall_b(DI), R13; \
	MOVQ         chunkCall_v(DI), R14; \
	VBROADCASTSS chunkCall_unit(DI), Z30; \
	VBROADCASTSS chunkCall_omega(DI), Z31; \
	MOVL         $32, AX; \
	VPBROADCASTD AX, Z29; \
	XORL         DX, DX; \
chunk: \
	VPXORQ  Z0, Z0, Z0; \
	MOVWLZX Chunk_Runs(SI), CX; \
	TESTL   CX, CX; \
	JZ      windows; \
run: \
	VALUES; \
	BASE; \
	VMULPS (BX), Z2, Z2; \
	VADDPS Z2, Z0, Z0; \
	DECL   CX; \
	JNZ    run; \
windows: \
	MOVWLZX Chunk_Windows(SI), CX; \
	TESTL   CX, CX; \
	JZ      near; \
window: \
	VALUES; \
	BASE; \
	VPMOVZXBD (R9), Z3; \
	VMOVUPS   (BX), Z4; \
	VPERMT2PS 64(BX), Z3, Z4; \
	VMOVUPS   128(BX), Z5; \
	VPERMT2PS 192(BX), Z3, Z5; \
	VPTESTMD  Z29, Z3, K1; \
	VMOVAPS   Z5, K1, Z4; \
	ADD_PRODUCTS; \
	ADDQ      $16, R9; \
	DECL      CX; \
	JNZ       window; \
near: \
	MOVWLZX Chunk_Near(SI), CX; \
	TESTL   CX, CX; \
	JZ      far; \
nearer: \
	VALUES; \
	BASE; \
	GATHER(MOVWLZX, 2, BX); \
	ADD_PRODUCTS; \
	ADDQ       $32, R9; \
	DECL       CX; \
	JNZ        nearer; \
far: \
	MOVWLZX Chunk_Far(SI), CX; \
	TESTL   CX, CX; \
	JZ      sums; \
farther: \
	VALUES; \
	GATHER(MOVL, 4, R11); \
	ADD_PRODUCTS; \
	ADDQ       $64, R9; \
	DECL       CX; \
	JNZ        farther; \
sums: \
	ADDQ    $Chunk__size, SI; \
	MOVQ    chunkCall_units(DI), AX; \
	VMOVAPS Z30, Z1; \
	TESTQ   AX, AX; \
	JZ      scale; \
	VMOVUPS (AX)(DX*1), Z1; \
scale: \
	VMULPS Z1, Z0, Z0; \
	MOVQ   chunkCall_epilogue(DI), AX; \
	CMPQ   AX, $const_ChunkRelax; \
	JEQ    relax; \
	CMPQ   AX, $const_ChunkResidual; \
	JEQ    residual; \
	CMPQ   AX, $const_ChunkPlus; \
	JNE    store; \
	VADDPS (R13)(DX*1), Z0, Z0; \
	JMP    store; \
residual: \
	VMOVUPS (R13)(DX*1), Z1; \
	VSUBPS  Z0, Z1, Z0; \
	JMP     store; \
relax: \
	VMOVUPS (R13)(DX*1), Z1; \
	VSUBPS  Z0, Z1, Z0; \
	VMULPS  Z31, Z0, Z0; \
	VADDPS  (R14)(DX*1), Z0, Z0; \
store: \
	VMOVUPS Z0, (R12)(DX*1); \
	ADDQ    $64, DX; \
	DECQ    chunkCall_count(DI); \
	JNZ     chunk; \
	VZEROUPPER; \
	RET

// func chunksIntAVX512(c *chunkCall, values *int16)
TEXT ·chunksIntAVX512(SB), NOSPLIT, $0-16
	CHUNKS(INTS)

// func chunksFloatAVX512(c *chunkCall, values *float32)
TEXT ·chunksFloatAVX512(SB), NOSPLIT, $0-16
	CHUNKS(FLOATS)
