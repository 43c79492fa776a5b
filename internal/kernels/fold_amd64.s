//go:build !purego

#include "textflag.h"

// Each takes a line of 64 bytes of the stream at base and asks for the line 1 KB
// ahead.
#define LINE512(base, acc) \
	PREFETCHT0 1024(base)(AX*1); \
	VPXORQ     (base)(AX*1), acc, acc

#define LINE256(base, acc0, acc1) \
	PREFETCHT0 1024(base)(AX*1); \
	VPXOR      (base)(AX*1), acc0, acc0; \
	VPXOR      32(base)(AX*1), acc1, acc1

// ARGUMENTS puts the bytes of a stream into CX, the number of streams into BX and
// their beginnings into R8 to R11; AX is 0.
#define ARGUMENTS \
	MOVQ p+0(FP), R8; \
	MOVQ n+8(FP), CX; \
	MOVQ streams+16(FP), BX; \
	SHLQ $3, CX; \
	LEAQ (R8)(CX*1), R9; \
	LEAQ (R9)(CX*1), R10; \
	LEAQ (R10)(CX*1), R11; \
	XORQ AX, AX

// NEXT goes on with the next line.
#define NEXT(loop) \
	ADDQ $64, AX; \
	CMPQ AX, CX; \
	JLT  loop; \
	JMP  sum

// RESULT folds Y0 into the result.
#define RESULT \
	VEXTRACTI128 $1, Y0, X1; \
	VPXOR        X1, X0, X0; \
	VPSRLDQ      $8, X0, X1; \
	VPXOR        X1, X0, X0; \
	VMOVQ        X0, ret+24(FP); \
	VZEROUPPER; \
	RET

// func foldAVX512(p *float64, n, streams int) uint64
TEXT ·foldAVX512(SB), NOSPLIT, $0-32
	ARGUMENTS
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	CMPQ   BX, $2
	JLT    one
	JEQ    two
	CMPQ   BX, $3
	JEQ    three

four:
	LINE512(R8, Z0)
	LINE512(R9, Z1)
	LINE512(R10, Z2)
	LINE512(R11, Z3)
	NEXT(four)

three:
	LINE512(R8, Z0)
	LINE512(R9, Z1)
	LINE512(R10, Z2)
	NEXT(three)

two:
	LINE512(R8, Z0)
	LINE512(R9, Z1)
	NEXT(two)

one:
	LINE512(R8, Z0)
	NEXT(one)

sum:
	VPXORQ        Z1, Z0, Z0
	VPXORQ        Z3, Z2, Z2
	VPXORQ        Z2, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPXOR         Y1, Y0, Y0
	RESULT

// func foldAVX2(p *float64, n, streams int) uint64
TEXT ·foldAVX2(SB), NOSPLIT, $0-32
	ARGUMENTS
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	CMPQ  BX, $2
	JLT   one
	JEQ   two
	CMPQ  BX, $3
	JEQ   three

four:
	LINE256(R8, Y0, Y1)
	LINE256(R9, Y2, Y3)
	LINE256(R10, Y4, Y5)
	LINE256(R11, Y6, Y7)
	NEXT(four)

three:
	LINE256(R8, Y0, Y1)
	LINE256(R9, Y2, Y3)
	LINE256(R10, Y4, Y5)
	NEXT(three)

two:
	LINE256(R8, Y0, Y1)
	LINE256(R9, Y2, Y3)
	NEXT(two)

one:
	LINE256(R8, Y0, Y1)
	NEXT(one)

sum:
	VPXOR Y1, Y0, Y0
	VPXOR Y3, Y2, Y2
	VPXOR Y5, Y4, Y4
	VPXOR Y7, Y6, Y6
	VPXOR Y2, Y0, Y0
	VPXOR Y6, Y4, Y4
	VPXOR Y4, Y0, Y0
	RESULT
