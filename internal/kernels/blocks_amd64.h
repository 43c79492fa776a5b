// Macros of the kernels for slots of b x b blocks, b = 2 to 6. Of every block the
// vector x_j, j < b, is in Z6 to Z11, that of the sums y_i, i < b, in Z0 to Z5.

// Two elements of the index, the blocks of two lanes, to the halves of V (low half
// H), for the columns from byte `at` on; the masks KL and KH say which columns, and
// COLUMN makes a column of an element of the index.
#define TWO(at, i, j, KL, KH, COLUMN, H, V) \
	MOVWLZX         (2*i)(R9), R14; \
	MOVWLZX         (2*j)(R9), R15; \
	COLUMN(R14); \
	COLUMN(R15); \
	VMOVUPD.Z       at(R13)(R14*8), KL, H; \
	VBROADCASTF64X4 at(R13)(R15*8), KH, V

// Up to four columns of eight blocks as vectors: even columns from Z16 and Z17,
// odd ones from Z18 and Z19, by VSHUFF64X2.
#define TRANSPOSE(at, KL, KH, COLUMN) \
	TWO(at, 0, 2, KL, KH, COLUMN, Y12, Z12); \
	TWO(at, 1, 3, KL, KH, COLUMN, Y13, Z13); \
	TWO(at, 4, 6, KL, KH, COLUMN, Y14, Z14); \
	TWO(at, 5, 7, KL, KH, COLUMN, Y15, Z15); \
	VUNPCKLPD Z13, Z12, Z16; \
	VUNPCKLPD Z15, Z14, Z17; \
	VUNPCKHPD Z13, Z12, Z18; \
	VUNPCKHPD Z15, Z14, Z19

#define FIRST(Z) VSHUFF64X2 $0x88, Z17, Z16, Z
#define SECOND(Z) VSHUFF64X2 $0x88, Z19, Z18, Z
#define THIRD(Z) VSHUFF64X2 $0xdd, Z17, Z16, Z
#define FOURTH(Z) VSHUFF64X2 $0xdd, Z19, Z18, Z

// The x_j of eight blocks to Z6 to Z11.
#define LOAD2(COLUMN) TRANSPOSE(0, K5, K6, COLUMN); FIRST(Z6); SECOND(Z7)
#define LOAD3(COLUMN) TRANSPOSE(0, K5, K6, COLUMN); FIRST(Z6); SECOND(Z7); THIRD(Z8)
#define LOAD4(COLUMN) TRANSPOSE(0, K5, K6, COLUMN); FIRST(Z6); SECOND(Z7); THIRD(Z8); FOURTH(Z9)
#define LOAD5(COLUMN) LOAD3(COLUMN); TRANSPOSE(24, K1, K2, COLUMN); FIRST(Z9); SECOND(Z10)
#define LOAD6(COLUMN) LOAD3(COLUMN); TRANSPOSE(24, K5, K6, COLUMN); FIRST(Z9); SECOND(Z10); THIRD(Z11)

DATA two52<>+0(SB)/8, $0x4330000000000000
GLOBL two52<>(SB), RODATA|NOPTR, $8

// The tables of the slot whose width is at R8, for WHOLE, or a jump to `bits`, where
// SHIFTS loads what BITS needs besides; AX: the width, that is the bytes of eight
// values.
#define TABLES(bits) \
	MOVBLZX      (R8), AX; \
	MOVL         AX, R15; \
	SHLL         $8, R15; \
	VMOVDQU64    (R12)(R15*1), Z24; \
	PREFETCHT0   1024(R9); \
	CMPL         AX, $24; \
	JGT          bits; \
	TESTL        $7, AX; \
	JNZ          bits; \
	KMOVQ        slotTable_bytes(R12)(R15*1), K7; \
	VBROADCASTSD slotTable_minus(R12)(R15*1), Z26; \
	VPBROADCASTQ two52<>(SB), Z25

#define SHIFTS \
	VMOVDQU64 slotTable_up(R12)(R15*1), Z25; \
	VMOVDQU64 slotTable_down(R12)(R15*1), Z26

// The eight integers at R14, AX bytes, as float64 to Z20.
#define BITS \
	VPERMB     (R14), Z24, Z20; \
	VPSLLVQ    Z25, Z20, Z20; \
	VPSRAVQ    Z26, Z20, Z20; \
	VCVTQQ2PD  Z20, Z20; \
	PREFETCHT0 4096(R14); \
	ADDQ       AX, R14

// The same for whole bytes.
#define WHOLE \
	VMOVDQA64  Z25, Z20; \
	VPERMB     (R14), Z24, K7, Z20; \
	VSUBPD     Z26, Z20, Z20; \
	PREFETCHT0 4096(R14); \
	ADDQ       AX, R14

#define SINGLE \
	VCVTPS2PD (R14), Z20; \
	ADDQ      $32, R14

// Y += value * X for each of these.
#define INTEGER(X, Y) BITS; VFMADD231PD X, Z20, Y
#define BYTES(X, Y) WHOLE; VFMADD231PD X, Z20, Y
#define FLOAT32(X, Y) SINGLE; VFMADD231PD X, Z20, Y

// Each row of a block is in a stream of its own, `stream` bytes after the last.
// R14 is where this row is; R15 is from its end to the begin of the next one.
#define STREAMS(b, stream) \
	IMUL3Q $b, AX, R14; \
	MOVQ   stream(DI), R15; \
	SUBQ   R14, R15; \
	ADDQ   R10, R14; \
	XCHGQ  R10, R14

#define NEXTROW ADDQ R15, R14

#define ROW2(VALUE, Y) VALUE(Z6, Y); VALUE(Z7, Y)
#define ROW3(VALUE, Y) ROW2(VALUE, Y); VALUE(Z8, Y)
#define ROW4(VALUE, Y) ROW3(VALUE, Y); VALUE(Z9, Y)
#define ROW5(VALUE, Y) ROW4(VALUE, Y); VALUE(Z10, Y)
#define ROW6(VALUE, Y) ROW5(VALUE, Y); VALUE(Z11, Y)

#define BLOCK2(VALUE) ROW2(VALUE, Z0); NEXTROW; ROW2(VALUE, Z1)
#define BLOCK3(VALUE) ROW3(VALUE, Z0); NEXTROW; ROW3(VALUE, Z1); NEXTROW; ROW3(VALUE, Z2)
#define BLOCK4(VALUE) ROW4(VALUE, Z0); NEXTROW; ROW4(VALUE, Z1); NEXTROW; ROW4(VALUE, Z2); NEXTROW; ROW4(VALUE, Z3)
#define BLOCK5(VALUE) ROW5(VALUE, Z0); NEXTROW; ROW5(VALUE, Z1); NEXTROW; ROW5(VALUE, Z2); NEXTROW; ROW5(VALUE, Z3); NEXTROW; ROW5(VALUE, Z4)
#define BLOCK6(VALUE) ROW6(VALUE, Z0); NEXTROW; ROW6(VALUE, Z1); NEXTROW; ROW6(VALUE, Z2); NEXTROW; ROW6(VALUE, Z3); NEXTROW; ROW6(VALUE, Z4); NEXTROW; ROW6(VALUE, Z5)

#define MASK(bits, K) \
	MOVL  $bits, AX; \
	KMOVB AX, K

// The sums of a slice before its first block.
#define NO_SUMS \
	VPXORQ Z0, Z0, Z0; \
	VPXORQ Z1, Z1, Z1; \
	VPXORQ Z2, Z2, Z2; \
	VPXORQ Z3, Z3, Z3; \
	VPXORQ Z4, Z4, Z4; \
	VPXORQ Z5, Z5, Z5
