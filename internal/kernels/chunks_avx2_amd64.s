//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// As chunks_avx512_amd64.s, with the 16 rows of a chunk in two registers: Y0 and Y1 the sums,
// Y2 and Y3 the values, Y4 and Y5 the elements of x.
#define INTS \
	VPMOVSXWD  (R10), Y2; \
	VPMOVSXWD  16(R10), Y3; \
	PREFETCHT0 2048(R10); \
	VCVTDQ2PS  Y2, Y2; \
	VCVTDQ2PS  Y3, Y3; \
	ADDQ       $32, R10

#define FLOATS \
	VMOVUPS    (R10), Y2; \
	VMOVUPS    32(R10), Y3; \
	PREFETCHT0 2048(R10); \
	ADDQ       $64, R10

#define BASE \
	MOVLQSX (R8), AX; \
	LEAQ    (R11)(AX*4), BX; \
	ADDQ    $4, R8

// The elements at the indices Y6 and Y7 from P.
#define GATHER_PRODUCTS(P) \
	VPCMPEQD   Y8, Y8, Y8; \
	VPCMPEQD   Y9, Y9, Y9; \
	VGATHERDPS Y8, (P)(Y6*4), Y4; \
	VGATHERDPS Y9, (P)(Y7*4), Y5; \
	VMULPS     Y4, Y2, Y2; \
	VMULPS     Y5, Y3, Y3; \
	VADDPS     Y2, Y0, Y0; \
	VADDPS     Y3, Y1, Y1

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
	VBROADCASTSS chunkCall_unit(DI), Y14; \
	VBROADCASTSS chunkCall_omega(DI), Y15; \
	XORL         DX, DX; \
chunk: \
	VXORPS  Y0, Y0, Y0; \
	VXORPS  Y1, Y1, Y1; \
	MOVWLZX Chunk_Runs(SI), CX; \
	TESTL   CX, CX; \
	JZ      windows; \
run: \
	VALUES; \
	BASE; \
	VMULPS (BX), Y2, Y2; \
	VMULPS 32(BX), Y3, Y3; \
	VADDPS Y2, Y0, Y0; \
	VADDPS Y3, Y1, Y1; \
	DECL   CX; \
	JNZ    run; \
windows: \
	MOVWLZX Chunk_Windows(SI), CX; \
	TESTL   CX, CX; \
	JZ      near; \
window: \
	VALUES; \
	BASE; \
	VPMOVZXBD (R9), Y6; \
	VPMOVZXBD 8(R9), Y7; \
	GATHER_PRODUCTS(BX); \
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
	VPMOVZXWD (R9), Y6; \
	VPMOVZXWD 16(R9), Y7; \
	GATHER_PRODUCTS(BX); \
	ADDQ      $32, R9; \
	DECL      CX; \
	JNZ       nearer; \
far: \
	MOVWLZX Chunk_Far(SI), CX; \
	TESTL   CX, CX; \
	JZ      sums; \
farther: \
	VALUES; \
	VMOVDQU (R9), Y6; \
	VMOVDQU 32(R9), Y7; \
	GATHER_PRODUCTS(R11); \
	ADDQ    $64, R9; \
	DECL    CX; \
	JNZ     farther; \
sums: \
	ADDQ    $Chunk__size, SI; \
	MOVQ    chunkCall_units(DI), AX; \
	VMOVAPS Y14, Y2; \
	VMOVAPS Y14, Y3; \
	TESTQ   AX, AX; \
	JZ      scale; \
	VMOVUPS (AX)(DX*1), Y2; \
	VMOVUPS 32(AX)(DX*1), Y3; \
scale: \
	VMULPS Y2, Y0, Y0; \
	VMULPS Y3, Y1, Y1; \
	MOVQ   chunkCall_epilogue(DI), AX; \
	CMPQ   AX, $const_ChunkRelax; \
	JEQ    relax; \
	CMPQ   AX, $const_ChunkResidual; \
	JEQ    residual; \
	CMPQ   AX, $const_ChunkPlus; \
	JNE    store; \
	VADDPS (R13)(DX*1), Y0, Y0; \
	VADDPS 32(R13)(DX*1), Y1, Y1; \
	JMP    store; \
residual: \
	VMOVUPS (R13)(DX*1), Y2; \
	VMOVUPS 32(R13)(DX*1), Y3; \
	VSUBPS  Y0, Y2, Y0; \
	VSUBPS  Y1, Y3, Y1; \
	JMP     store; \
relax: \
	VMOVUPS (R13)(DX*1), Y2; \
	VMOVUPS 32(R13)(DX*1), Y3; \
	VSUBPS  Y0, Y2, Y0; \
	VSUBPS  Y1, Y3, Y1; \
	VMULPS  Y15, Y0, Y0; \
	VMULPS  Y15, Y1, Y1; \
	VADDPS  (R14)(DX*1), Y0, Y0; \
	VADDPS  32(R14)(DX*1), Y1, Y1; \
store: \
	VMOVUPS Y0, (R12)(DX*1); \
	VMOVUPS Y1, 32(R12)(DX*1); \
	ADDQ    $64, DX; \
	DECQ    chunkCall_count(DI); \
	JNZ     chunk; \
	VZEROUPPER; \
	RET

// func chunksIntAVX2(c *chunkCall, values *int16)
TEXT ·chunksIntAVX2(SB), NOSPLIT, $0-16
	CHUNKS(INTS)

// func chunksFloatAVX2(c *chunkCall, values *float32)
TEXT ·chunksFloatAVX2(SB), NOSPLIT, $0-16
	CHUNKS(FLOATS)
