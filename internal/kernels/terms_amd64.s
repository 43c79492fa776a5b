//go:build !purego

#include "textflag.h"

// func termsAVX2(col *int32, val *float64, room int, j *int32, f *float64, n int, part *Rows, shift uint) (rows, terms int)
//
//	DI, SI  where the next term goes	R15  the last place for the end of a row
//	R8, R9  j and f				R10  rows left
//	R11     parts				CX   shift
TEXT ·termsAVX2(SB), NOSPLIT, $0-80
	MOVQ col+0(FP), DI
	MOVQ val+8(FP), SI
	MOVQ room+16(FP), R15
	LEAQ -32(DI)(R15*4), R15
	MOVQ j+24(FP), R8
	MOVQ f+32(FP), R9
	MOVQ n+40(FP), R10
	MOVQ part+48(FP), R11
	MOVQ shift+56(FP), CX

row:
	MOVL  (R8), AX
	SHRXQ CX, AX, BX
	BZHIQ CX, AX, AX
	LEAQ  (BX)(BX*8), BX      // a part takes 72 bytes
	LEAQ  (R11)(BX*8), BX
	MOVQ  (BX), DX            // Ptr
	MOVQ  8(DX)(AX*8), R12
	MOVQ  (DX)(AX*8), DX
	SUBQ  DX, R12             // elements of the row
	LEAQ  (DI)(R12*4), AX
	CMPQ  AX, R15
	JA    end
	MOVQ  24(BX), R13         // Col
	MOVQ  32(BX), AX          // its length
	MOVQ  48(BX), BX          // Val
	VBROADCASTSD (R9), Y0
	TESTQ R12, R12
	JZ    next

group:
	SUBQ    $8, AX
	CMPQ    DX, AX
	JGT     single
	VMOVDQU (R13)(DX*4), Y1
	VMULPD  (BX)(DX*8), Y0, Y2
	VMULPD  32(BX)(DX*8), Y0, Y3
	VMOVDQU Y1, (DI)
	VMOVUPD Y2, (SI)
	VMOVUPD Y3, 32(SI)
	CMPQ    R12, $8
	JLE     last
	ADDQ    $8, AX
	ADDQ    $8, DX
	ADDQ    $32, DI
	ADDQ    $64, SI
	SUBQ    $8, R12
	JMP     group

last:
	LEAQ (DI)(R12*4), DI
	LEAQ (SI)(R12*8), SI

next:
	ADDQ $4, R8
	ADDQ $8, R9
	DECQ R10
	JNZ  row

end:
	MOVQ n+40(FP), AX
	SUBQ R10, AX
	MOVQ AX, rows+64(FP)
	SUBQ col+0(FP), DI
	SHRQ $2, DI
	MOVQ DI, terms+72(FP)
	VZEROUPPER
	RET

// The last elements of a part, behind which there are no eight.
single:
	MOVL   (R13)(DX*4), AX
	MOVL   AX, (DI)
	VMULSD (BX)(DX*8), X0, X2
	VMOVSD X2, (SI)
	INCQ   DX
	ADDQ   $4, DI
	ADDQ   $8, SI
	DECQ   R12
	JNZ    single
	JMP    next
