//go:build !purego

#include "textflag.h"

// func multiplyAVX512(values *float64, col *int32, n int, x *float64)
TEXT ·multiplyAVX512(SB), NOSPLIT, $0-32
	MOVQ values+0(FP), DI
	MOVQ col+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ x+24(FP), R8
	SUBQ $16, CX
	JL   eight

sixteen:
	PREFETCHT0 1024(SI)
	VMOVDQU    (SI), Y2
	VMOVDQU    32(SI), Y3
	KXNORB     K1, K1, K1
	KXNORB     K2, K2, K2
	VPXORQ     Z4, Z4, Z4
	VPXORQ     Z5, Z5, Z5
	VGATHERDPD (R8)(Y2*8), K1, Z4
	VGATHERDPD (R8)(Y3*8), K2, Z5
	VMULPD     (DI), Z4, Z4
	VMULPD     64(DI), Z5, Z5
	VMOVUPD    Z4, (DI)
	VMOVUPD    Z5, 64(DI)
	ADDQ       $64, SI
	ADDQ       $128, DI
	SUBQ       $16, CX
	JGE        sixteen

eight:
	ADDQ       $8, CX
	JL         rest
	VMOVDQU    (SI), Y2
	KXNORB     K1, K1, K1
	VPXORQ     Z4, Z4, Z4
	VGATHERDPD (R8)(Y2*8), K1, Z4
	VMULPD     (DI), Z4, Z4
	VMOVUPD    Z4, (DI)
	ADDQ       $32, SI
	ADDQ       $64, DI
	SUBQ       $8, CX

rest:
	ADDQ        $8, CX
	JZ          done
	MOVL        $255, AX
	BZHIL       CX, AX, AX
	KMOVB       AX, K1
	KMOVB       AX, K2
	VMOVDQU32.Z (SI), K1, Y2
	VMOVUPD.Z   (DI), K1, Z3
	VPXORQ      Z4, Z4, Z4
	VGATHERDPD  (R8)(Y2*8), K1, Z4
	VMULPD      Z3, Z4, Z4
	VMOVUPD     Z4, K2, (DI)

done:
	VZEROUPPER
	RET

// func addRowsAVX512(dst *float64, row int, rowPtr *uint32, rows int, products *float64, start, n int) int
//
// Eight rows at a time, those from row BX on. With the ends of the rows counted
// from the first product and kept between 0 and n,
//	Y2 = where the rows start, Y3 = where they end, K1 = the rows that there are
// and either each row is a lane, to which its products are added one by one, or
// the products of one row after the other are added eight at a time.
TEXT ·addRowsAVX512(SB), NOSPLIT, $32-64
	MOVQ         dst+0(FP), DI
	MOVQ         row+8(FP), BX
	MOVQ         rowPtr+16(FP), SI
	MOVQ         products+32(FP), R9
	MOVQ         start+40(FP), R10
	MOVQ         n+48(FP), R11
	VPBROADCASTD R10, Y8
	VPBROADCASTD R11, Y11
	VPADDD       Y11, Y8, Y9
	MOVL         $1, AX
	VPBROADCASTD AX, Y10
	MOVL         $8, AX
	VPBROADCASTD AX, Y12
	MOVL         $255, R13

group:
	MOVQ        rows+24(FP), CX
	SUBQ        BX, CX
	MOVL        $8, AX
	CMPQ        CX, $8
	CMOVQGT     AX, CX
	BZHIL       CX, R13, AX
	KMOVB       AX, K1
	VMOVDQU32.Z (SI)(BX*4), K1, Y2
	VMOVDQU32.Z 4(SI)(BX*4), K1, Y3
	VPMAXUD     Y8, Y2, Y2
	VPMAXUD     Y8, Y3, Y3
	VPMINUD     Y9, Y2, Y2
	VPMINUD     Y9, Y3, Y3
	VPSUBD      Y8, Y2, Y2
	VPSUBD      Y8, Y3, Y3
	VPCMPD      $6, Y2, Y3, K2       // Y3 > Y2
	KTESTB      K2, K2
	JZ          next
	VPSUBD      Y2, Y3, Y4
	VPCMPD      $6, Y12, Y4, K3      // rows longer than Y12
	KTESTB      K3, K3
	JNZ         long
	VMOVUPD.Z   (DI)(BX*8), K1, Z0

lane:
	KMOVB      K2, K3
	VPXORQ     Z5, Z5, Z5
	VGATHERDPD (R9)(Y2*8), K3, Z5
	VADDPD     Z5, Z0, K2, Z0
	VPADDD     Y10, Y2, Y2
	VPCMPD     $6, Y2, Y3, K2
	KTESTB     K2, K2
	JNZ        lane
	VMOVUPD    Z0, K1, (DI)(BX*8)

next:
	VPCMPEQD Y11, Y3, K3 // rows that end behind the last product
	KMOVB    K3, AX
	TESTL    AX, AX
	JNZ      done
	ADDQ     $8, BX
	JMP      group

done:
	TZCNTL AX, AX
	ADDQ   BX, AX
	MOVQ   AX, ret+56(FP)
	VZEROUPPER
	RET

long:
	VMOVDQU Y3, ends-32(SP)
	VMOVD   X2, DX
	LEAQ    (DI)(BX*8), R12
	LEAQ    ends-32(SP), R8

row:
	MOVL    (R8), R10
	VPXORQ  Z0, Z0, Z0
	VPXORQ  Z1, Z1, Z1

sixteen:
	LEAQ   16(DX), AX
	CMPQ   AX, R10
	JGT    eight
	VADDPD (R9)(DX*8), Z0, Z0
	VADDPD 64(R9)(DX*8), Z1, Z1
	MOVQ   AX, DX
	JMP    sixteen

eight:
	LEAQ   8(DX), AX
	CMPQ   AX, R10
	JGT    rest
	VADDPD (R9)(DX*8), Z0, Z0
	MOVQ   AX, DX

rest:
	MOVQ          R10, AX
	SUBQ          DX, AX
	BZHIL         AX, R13, AX
	KMOVB         AX, K2
	VMOVUPD.Z     (R9)(DX*8), K2, Z4
	VADDPD        Z4, Z1, Z1
	VADDPD        Z1, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPD        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPD        X1, X0, X0
	VPERMILPD     $1, X0, X1
	VADDSD        X1, X0, X0
	VADDSD        (R12), X0, X0
	VMOVSD        X0, (R12)
	MOVQ          R10, DX
	ADDQ          $4, R8
	ADDQ          $8, R12
	DECQ          CX
	JNZ           row
	JMP           next
