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

// The tables of the slot whose width is at R8; AX: the width, that is the bytes of
// eight values.
#define TABLES \
	MOVBLZX    (R8), AX; \
	LEAQ       (AX)(AX*2), R15; \
	SHLQ       $6, R15; \
	VMOVDQU64  (R12)(R15*1), Z24; \
	VMOVDQU64  64(R12)(R15*1), Z25; \
	VMOVDQU64  128(R12)(R15*1), Z26; \
	PREFETCHT0 1024(R9)

// The eight integers at R10 as float64 to Z20.
#define DECODE \
	VPERMB     (R10), Z24, Z20; \
	VPSLLVQ    Z25, Z20, Z20; \
	VPSRAVQ    Z26, Z20, Z20; \
	VCVTQQ2PD  Z20, Z20; \
	PREFETCHT0 2048(R10); \
	ADDQ       AX, R10

// Y += value * X for integers and for float32.
#define INTEGER(X, Y) \
	DECODE; \
	VFMADD231PD X, Z20, Y

#define FLOAT32(X, Y) \
	VCVTPS2PD   (R10), Z20; \
	VFMADD231PD X, Z20, Y; \
	ADDQ        $32, R10

#define ROW2(VALUE, Y) VALUE(Z6, Y); VALUE(Z7, Y)
#define ROW3(VALUE, Y) ROW2(VALUE, Y); VALUE(Z8, Y)
#define ROW4(VALUE, Y) ROW3(VALUE, Y); VALUE(Z9, Y)
#define ROW5(VALUE, Y) ROW4(VALUE, Y); VALUE(Z10, Y)
#define ROW6(VALUE, Y) ROW5(VALUE, Y); VALUE(Z11, Y)

#define BLOCK2(VALUE) ROW2(VALUE, Z0); ROW2(VALUE, Z1)
#define BLOCK3(VALUE) ROW3(VALUE, Z0); ROW3(VALUE, Z1); ROW3(VALUE, Z2)
#define BLOCK4(VALUE) ROW4(VALUE, Z0); ROW4(VALUE, Z1); ROW4(VALUE, Z2); ROW4(VALUE, Z3)
#define BLOCK5(VALUE) ROW5(VALUE, Z0); ROW5(VALUE, Z1); ROW5(VALUE, Z2); ROW5(VALUE, Z3); ROW5(VALUE, Z4)
#define BLOCK6(VALUE) ROW6(VALUE, Z0); ROW6(VALUE, Z1); ROW6(VALUE, Z2); ROW6(VALUE, Z3); ROW6(VALUE, Z4); ROW6(VALUE, Z5)

#define ALL2(DO) DO(0, Z0); DO(1, Z1)
#define ALL3(DO) ALL2(DO); DO(2, Z2)
#define ALL4(DO) ALL3(DO); DO(3, Z3)
#define ALL5(DO) ALL4(DO); DO(4, Z4)
#define ALL6(DO) ALL5(DO); DO(5, Z5)

#define MASK(bits, K) \
	MOVL  $bits, AX; \
	KMOVB AX, K
