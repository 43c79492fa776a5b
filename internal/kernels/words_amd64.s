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

#define SCALED \
	BITS               \
	VMULPD Z28, Z2, Z2

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
	PREFETCHT0 2048(SI)      \
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

// The next eight products go to a register; AX is how many are left.
#define PRODUCTS(numbers, register) \
	PREFETCHT0 2048(SI)     \
	PREFETCHT0 2048(R8)     \
	BZHIL  AX, R12, R15     \
	KMOVB  R15, K2          \
	numbers                 \
	GATHER                  \
	VMULPD Z4, Z2, register \
	ADDQ   R11, SI          \
	ADDQ   $32, R8          \
	SUBQ   $8, AX           \
	JLE    lanes

// Eight rows at a time, of which R9 is the first one's pointer: K4 are those that
// there are, R13 is their number, K5 those that have elements.
//
// Where no row is longer than eight, all products go to Z16 ... Z23, and from
// there those of each row, one by one, into its lane of Z0; Z6 is the number of
// the next product, Z7 where the row ends. Otherwise each row is summed by itself.
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
	VPBROADCASTQ  AX, Z9                \
	MOVL          $16, AX               \
	VPBROADCASTQ  AX, Z11               \
	MOVL          $32, AX               \
	VPBROADCASTQ  AX, Z12               \
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
	PRODUCTS(numbers, Z16)              \
	PRODUCTS(numbers, Z17)              \
	PRODUCTS(numbers, Z18)              \
	PRODUCTS(numbers, Z19)              \
	PRODUCTS(numbers, Z20)              \
	PRODUCTS(numbers, Z21)              \
	PRODUCTS(numbers, Z22)              \
	PRODUCTS(numbers, Z23)              \
lanes:                                  \
	LEAQ          (R8)(AX*4), R8        \
	IMULQ         BX, AX                \
	ADDQ          AX, SI                \
	VPADDD        Y6, Y7, Y7            \
	VPSUBD        Y10, Y6, Y6           \
	VPSUBD        Y10, Y7, Y7           \
	VPMOVZXDQ     Y6, Z6                \
	VPMOVZXDQ     Y7, Z7                \
	VMOVUPD.Z     (DI), K4, Z0          \
lane:                                   \
	VPTESTMQ      Z11, Z6, K2           \
	VPTESTMQ      Z12, Z6, K3           \
	VMOVDQA64     Z6, Z2                \
	VMOVDQA64     Z6, Z3                \
	VMOVDQA64     Z6, Z4                \
	VMOVDQA64     Z6, Z5                \
	VPERMI2PD     Z17, Z16, Z2          \
	VPERMI2PD     Z19, Z18, Z3          \
	VPERMI2PD     Z21, Z20, Z4          \
	VPERMI2PD     Z23, Z22, Z5          \
	VMOVAPD       Z3, K2, Z2            \
	VMOVAPD       Z5, K2, Z4            \
	VMOVAPD       Z4, K3, Z2            \
	VADDPD        Z2, Z0, K5, Z0        \
	VPADDQ        Z9, Z6, Z6            \
	VPCMPUQ       $1, Z7, Z6, K5        \
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
	PREFETCHT0    2048(SI)              \
	PREFETCHT0    2048(R8)              \
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

// func decodeScaledAVX512(dst *float64, n int, src *byte, w *Words, table *wordTable)
TEXT ·decodeScaledAVX512(SB), NOSPLIT, $0-40
	DECODE(SCALED)

// func rowsBitsAVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)
TEXT ·rowsBitsAVX512(SB), NOSPLIT, $0-64
	ROWS(BITS)

// func rowsFloat32AVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)
TEXT ·rowsFloat32AVX512(SB), NOSPLIT, $0-64
	ROWS(FLOAT32)

// func rowsFixedAVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)
TEXT ·rowsFixedAVX512(SB), NOSPLIT, $0-64
	ROWS(FIXED)

// func rowsScaledAVX512(dst *float64, n int, rowPtr *uint32, col *int32, src *byte, x *float64, w *Words, table *wordTable)
TEXT ·rowsScaledAVX512(SB), NOSPLIT, $0-64
	ROWS(SCALED)
