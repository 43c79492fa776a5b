// C -= A B for dense matrices of NUMBER in vectors VEC of LANES; included once for each type.

// FN(columns) are the columns of a vector that a matrix has, from column j of n on.
#if defined __AVX512F__ || defined __AVX2__

INLINE FN(mask) FN(columns)(i64 j, i64 n) { return FN(mask_of)(n < j ? 0 : n - j < LANES ? n - j : LANES); }

#else

// Vectors are full: the columns that fill none come one by one.
typedef i64 FN(mask);
INLINE FN(mask) FN(columns)(i64 j, i64 n) { return n - j; }
INLINE VEC FN(load)(const NUMBER *p, FN(mask) m) { (void)m; return LOAD(VEC, p); }
INLINE void FN(store)(NUMBER *p, FN(mask) m, VEC v) { (void)m; STORE(p, v); }

#endif

// FN(tile) subtracts in some rows from row i on, and in some vectors of columns from column j on, which stay in registers.
INLINE void FN(tile)(const struct mulsub_call *p, i64 i, i64 j, int rows, int vectors) {
	FN(mask) m[VECTORS];
	VEC t[ROWS][VECTORS];
	NUMBER *c = (NUMBER *)p->c + i * p->stride_c + j;
	const NUMBER *a = (const NUMBER *)p->a + i * p->stride_a, *b = (const NUMBER *)p->b + j;
	UNROLL for (int v = 0; v < vectors; v++) m[v] = FN(columns)(j + v * LANES, p->n);
	UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++) t[r][v] = FN(load)(c + r * p->stride_c + v * LANES, m[v]);
	for (i64 k = p->k; k > 0; k--, a++, b += p->stride_b) {
		VEC row[VECTORS];
		UNROLL for (int v = 0; v < vectors; v++) row[v] = FN(load)(b + v * LANES, m[v]);
		UNROLL for (int r = 0; r < rows; r++) {
			VEC factor = a[r * p->stride_a] - (VEC){};
			UNROLL for (int v = 0; v < vectors; v++) t[r][v] = fma(-factor, row[v], t[r][v]);
		}
	}
	UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++) FN(store)(c + r * p->stride_c + v * LANES, m[v], t[r][v]);
}

// FN(strip) subtracts in all rows.
INLINE void FN(strip)(const struct mulsub_call *p, i64 j, int vectors) {
	i64 i = 0;
	for (; i + ROWS <= p->m; i += ROWS) FN(tile)(p, i, j, ROWS, vectors);
	if (ROWS > 4 && i + 4 <= p->m) {
		FN(tile)(p, i, j, 4, vectors);
		i += 4;
	}
	for (; i < p->m; i++) FN(tile)(p, i, j, 1, vectors);
}

INLINE void FN(multiply)(const struct mulsub_call *p) {
	i64 j = 0;
#if defined __AVX512F__ || defined __AVX2__
	for (; p->n - j > LANES; j += VECTORS * LANES) FN(strip)(p, j, VECTORS);
	if (j < p->n) FN(strip)(p, j, 1);
#else
	for (; p->n - j >= VECTORS * LANES; j += VECTORS * LANES) FN(strip)(p, j, VECTORS);
	for (; p->n - j >= LANES; j += LANES) FN(strip)(p, j, 1);
	for (; j < p->n; j++) {
		for (i64 i = 0; i < p->m; i++) {
			NUMBER *c = (NUMBER *)p->c + i * p->stride_c + j;
			for (i64 k = 0; k < p->k; k++) {
				*c = fma(-((const NUMBER *)p->a)[i * p->stride_a + k], ((const NUMBER *)p->b)[k * p->stride_b + j], *c);
			}
		}
	}
#endif
}
