// What the vector kernels for AVX2 and AVX-512 share (see vectorKernels). A loop
// does one group of sixteen elements per turn, AX counting the elements up to CX.
// The macros do those of one register, of either width, off bytes into the group;
// SI, DI, BX, DX and R8 to R11 stand for the elements there; t, u, v are scratch.

// acc += SI * DI
#define DOT(off, t, acc) \
	VMOVUPD off(SI)(AX*8), t; \
	VMULPD  off(DI)(AX*8), t, t; \
	VADDPD  t, acc, acc

// DI += a SI
#define AXPY(off, a, t) \
	VMULPD  off(SI)(AX*8), a, t; \
	VADDPD  off(DI)(AX*8), t, t; \
	VMOVUPD t, off(DI)(AX*8)

// DI += a SI, acc += DI * BX; BX may be DI
#define AXPYDOT(off, a, t, acc) \
	AXPY(off, a, t); \
	VMULPD off(BX)(AX*8), t, t; \
	VADDPD t, acc, acc

// DI = SI + a DI
#define XPAY(off, a, t) \
	VMULPD  off(DI)(AX*8), a, t; \
	VADDPD  off(SI)(AX*8), t, t; \
	VMOVUPD t, off(DI)(AX*8)

// SI *= a
#define SCALE(off, a, t) \
	VMULPD  off(SI)(AX*8), a, t; \
	VMOVUPD t, off(SI)(AX*8)

// DI += a SI, BX -= a DX, acc += BX * BX. All loads come before the stores: a
// load waits for a store to the same place of another page.
#define STEP(off, a, t, u, v, acc) \
	VMULPD  off(SI)(AX*8), a, t; \
	VMULPD  off(DX)(AX*8), a, u; \
	VMOVUPD off(BX)(AX*8), v; \
	VADDPD  off(DI)(AX*8), t, t; \
	VSUBPD  u, v, v; \
	VMOVUPD t, off(DI)(AX*8); \
	VMOVUPD v, off(BX)(AX*8); \
	VMULPD  v, v, v; \
	VADDPD  v, acc, acc

// DI = a (SI * DX)
#define MUL(off, a, t) \
	VMOVUPD off(SI)(AX*8), t; \
	VMULPD  off(DX)(AX*8), t, t; \
	VMULPD  t, a, t; \
	VMOVUPD t, off(DI)(AX*8)

// DI = DX + a (SI * DI)
#define RELAX(off, a, t) \
	VMOVUPD off(SI)(AX*8), t; \
	VMULPD  off(DI)(AX*8), t, t; \
	VMULPD  t, a, t; \
	VADDPD  off(DX)(AX*8), t, t; \
	VMOVUPD t, off(DI)(AX*8)

// h0 += R8 * w, h1 += R9 * w, h2 += R10 * w, h3 += R11 * w
#define DOT4(off, w, t, h0, h1, h2, h3) \
	VMULPD off(R8)(AX*8), w, t; \
	VADDPD t, h0, h0; \
	VMULPD off(R9)(AX*8), w, t; \
	VADDPD t, h1, h1; \
	VMULPD off(R10)(AX*8), w, t; \
	VADDPD t, h2, h2; \
	VMULPD off(R11)(AX*8), w, t; \
	VADDPD t, h3, h3

// DI = ((DI + a0 R8) + a1 R9) + ...
#define AXPY4(off, a0, a1, a2, a3, t, u) \
	VMULPD  off(R8)(AX*8), a0, t; \
	VADDPD  off(DI)(AX*8), t, u; \
	VMULPD  off(R9)(AX*8), a1, t; \
	VADDPD  t, u, u; \
	VMULPD  off(R10)(AX*8), a2, t; \
	VADDPD  t, u, u; \
	VMULPD  off(R11)(AX*8), a3, t; \
	VADDPD  t, u, u; \
	VMOVUPD u, off(DI)(AX*8)

#define ZERO4(s0, s1, s2, s3) \
	VXORPD s0, s0, s0; \
	VXORPD s1, s1, s1; \
	VXORPD s2, s2, s2; \
	VXORPD s3, s3, s3

// The sum, by halves, of four elements in y, whose lower half is x.
#define SUM4(y, x, t) \
	VEXTRACTF128 $1, y, t; \
	VADDPD       t, x, x; \
	VPERMILPD    $1, x, t; \
	VADDSD       t, x, x

// The sum of sixteen elements in two registers of AVX-512.
#define SUM512(z0, z1, y, x, ty, tx) \
	VADDPD        z1, z0, z0; \
	VEXTRACTF64X4 $1, z0, ty; \
	VADDPD        ty, y, y; \
	SUM4(y, x, tx)

// The sum of sixteen elements in four registers of AVX2.
#define SUM256(y0, y1, y2, y3, x, t) \
	VADDPD y2, y0, y0; \
	VADDPD y3, y1, y1; \
	VADDPD y1, y0, y0; \
	SUM4(y0, x, t)
