//go:build !purego

#include "textflag.h"

// Z1 and K1 are the permutation and the used bytes of a table in AX; the fields
// of the Words in DX are BX: bytes, Z24: up, Z25: down, Z26: offset, Z27: sign,
// Z28: quantum.
#define TABLE \
	VMOVDQU64    (AX), Z1    \
	KMOVQ        64(AX), K1  \
	MOVQ         8(DX), BX   \
	VPBROADCASTQ 16(DX), Z24 \
	VPBROADCASTQ 24(DX), Z25 \
	VPBROADCASTQ 32(DX), Z26 \
	VPBROADCASTQ 40(DX), Z27 \
	VBROADCASTSD 48(DX), Z28

// Z2 = the eight words at SI as numbers.

#define BITS \
	VPERMB.Z   (SI), Z1, K1, Z3    \
	VPSLLVQ    Z24, Z3, Z2         \
	VPSRLVQ    Z25, Z2, Z2         \
	VPADDQ     Z26, Z2, Z2         \
	VPTERNLOGQ $0xf8, Z27, Z3, Z2 // Z2 | Z3 & Z27

#define FLOAT32 \
	VPERMB.Z  (SI), Z1, K1, Z2 \
	VCVTPS2PD Y2, Z2

#define FIXED \
	VPERMB.Z  (SI), Z1, K1, Z2 \
	VPSRAVQ   Z25, Z2, Z2      \
	VCVTQQ2PD Z2, Z2           \
	VMULPD    Z28, Z2, Z2

// Eight numbers at a time.
#define DECODE(numbers) \
	MOVQ    dst+0(FP), DI    \
	MOVQ    n+8(FP), CX      \
	MOVQ    src+16(FP), SI   \
	MOVQ    w+24(FP), DX     \
	MOVQ    table+32(FP), AX \
	TABLE                    \
	SHLQ    $3, BX           \
	SUBQ    $8, CX           \
	JL      rest             \
eight:                       \
	numbers                  \
	VMOVUPD Z2, (DI)         \
	ADDQ    BX, SI           \
	ADDQ    $64, DI          \
	SUBQ    $8, CX           \
	JGE     eight            \
rest:                        \
	ADDQ    $8, CX           \
	JZ      done             \
	MOVL    $255, AX         \
	BZHIL   CX, AX, AX       \
	KMOVB   AX, K2           \
	numbers                  \
	VMOVUPD Z2, K2, (DI)     \
done:                        \
	VZEROUPPER               \
	RET

// Z4 = x[col[k]] for eight elements, those in K2; col is at R8, x at R10.
#define GATHER \
	VMOVDQU32.Z (R8), K2, Y5         \
	KMOVB       K2, K3               \
	VPXORQ      Z4, Z4, Z4           \
	VGATHERDPD  (R10)(Y5*8), K3, Z4

// Eight rows at a time, of which R9 is the first one's pointer: K4 are those that
// there are, R13 is their number, Y6 their starts and Y7 their lengths.
//
// Where no row is long, the products of all eight go to the stack, and from there
// one row into each lane of Z0. Otherwise each row is summed by itself.
#define ROWS(numbers) \
	MOVQ          dst+0(FP), DI         \
	MOVQ          n+8(FP), CX           \
	MOVQ          rowPtr+16(FP), R9     \
	MOVQ          col+24(FP), R8        \
	MOVQ          src+32(FP), SI        \
	MOVQ          x+40(FP), R10         \
	MOVQ          w+48(FP), DX          \
	MOVQ          table+56(FP), AX      \
	TABLE                               \
	LEAQ          (BX*8), R11           \
	MOVL          $255, R12             \
	MOVL          $8, AX                \
	VPBROADCASTD  AX, Y8                \
	MOVL          $1, AX                \
	VPBROADCASTD  AX, Y9                \
group:                                  \
	MOVL          $8, R13               \
	CMPQ          CX, R13               \
	CMOVQLT       CX, R13               \
	BZHIL         R13, R12, AX          \
	KMOVB         AX, K4                \
	VMOVDQU32.Z   (R9), K4, Y6          \
	VMOVDQU32.Z   4(R9), K4, Y7         \
	VPSUBD        Y6, Y7, Y7            \
	VPTESTMD      Y7, Y7, K5            \
	KTESTB        K5, K5                \
	JZ            next                  \
	VPCMPUD       $6, Y8, Y7, K3        \
	KTESTB        K3, K3                \
	JNZ           long                  \
	MOVL          (R9), DX              \
	VPBROADCASTD  DX, Y10               \
	MOVL          (R9)(R13*4), AX       \
	SUBQ          DX, AX                \
	LEAQ          products-512(SP), DX  \
	KXNORB        K2, K2, K2            \
	SUBQ          $8, AX                \
	JL            last                  \
product:                                \
	numbers                             \
	GATHER                              \
	VMULPD        Z4, Z2, Z2            \
	VMOVUPD       Z2, (DX)              \
	ADDQ          R11, SI               \
	ADDQ          $32, R8               \
	ADDQ          $64, DX               \
	SUBQ          $8, AX                \
	JGE           product               \
last:                                   \
	ADDQ          $8, AX                \
	JZ            sums                  \
	BZHIL         AX, R12, R15          \
	KMOVB         R15, K2               \
	numbers                             \
	GATHER                              \
	VMULPD        Z4, Z2, Z2            \
	VMOVUPD       Z2, (DX)              \
	LEAQ          (R8)(AX*4), R8        \
	IMULQ         BX, AX                \
	ADDQ          AX, SI                \
sums:                                   \
	LEAQ          products-512(SP), DX  \
	VPSUBD        Y10, Y6, Y6           \
	VMOVUPD.Z     (DI), K4, Z0          \
lane:                                   \
	KMOVB         K5, K3                \
	VPXORQ        Z4, Z4, Z4            \
	VGATHERDPD    (DX)(Y6*8), K3, Z4    \
	VADDPD        Z4, Z0, K5, Z0        \
	VPADDD        Y9, Y6, Y6            \
	VPSUBD        Y9, Y7, K5, Y7        \
	VPTESTMD      Y7, Y7, K5            \
	KTESTB        K5, K5                \
	JNZ           lane                  \
	VMOVUPD       Z0, K4, (DI)          \
next:                                   \
	ADDQ          $32, R9               \
	ADDQ          $64, DI               \
	SUBQ          $8, CX                \
	JG            group                 \
	VZEROUPPER                          \
	RET                                 \
long:                                   \
	XORL          DX, DX                \
row:                                    \
	MOVL          4(R9)(DX*4), AX       \
	MOVL          (R9)(DX*4), R15       \
	SUBQ          R15, AX               \
	JZ            empty                 \
	VPXORQ        Z0, Z0, Z0            \
	KXNORB        K2, K2, K2            \
	SUBQ          $8, AX                \
	JL            rest                  \
eight:                                  \
	PREFETCHT0    1024(SI)              \
	PREFETCHT0    1024(R8)              \
	numbers                             \
	GATHER                              \
	VFMADD231PD   Z4, Z2, Z0            \
	ADDQ          R11, SI               \
	ADDQ          $32, R8               \
	SUBQ          $8, AX                \
	JGE           eight                 \
rest:                                   \
	ADDQ          $8, AX                \
	JZ            sum                   \
	BZHIL         AX, R12, R15          \
	KMOVB         R15, K2               \
	numbers                             \
	GATHER                              \
	VFMADD231PD   Z4, Z2, K2, Z0        \
	LEAQ          (R8)(AX*4), R8        \
	IMULQ         BX, AX                \
	ADDQ          AX, SI                \
sum:                                    \
	VEXTRACTF64X4 $1, Z0, Y4            \
	VADDPD        Y4, Y0, Y0            \
	VEXTRACTF128  $1, Y0, X4            \
	VADDPD        X4, X0, X0            \
	VPERMILPD     $1, X0, X4            \
	VADDSD        X4, X0, X0            \
	VADDSD        (DI)(DX*8), X0, X0    \
	VMOVSD        X0, (DI)(DX*8)        \
empty:                                  \
	INCQ          DX                    \
	CMPQ          DX, R13               \
	JLT           row                   \
	JMP           next

// func decodeBitsAVX512(dst *float64, n int, src *byte, w *Words, table *wordTable)
TEXT ·decodeBitsAVX512(SB), NOSPLIT, $0-40
	DECODE(BITS)

// func decodeFloat32AVX512(dst *float64, n int, src *byte, w *Words, table *wordTable)
TEXT ·decodeFloat32AVX512(SB), NOSPLIT, $0-40
	DECODE(FLOAT32)

// func decodeFixedAVX512(dst *float64, n int, src *byte, w *Words, table *wordTable)
TEXT ·decodeFixedAVX512(SB), NOSPLIT, $0-40
	DECODE(FIXED)

// func rowsBitsAVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)
TEXT ·rowsBitsAVX512(SB), $512-64
	ROWS(BITS)

// func rowsFloat32AVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)
TEXT ·rowsFloat32AVX512(SB), $512-64
	ROWS(FLOAT32)

// func rowsFixedAVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)
TEXT ·rowsFixedAVX512(SB), $512-64
	ROWS(FIXED)
