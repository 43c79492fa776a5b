// The exclusive or of all bits of streams; see Fold.
#include "simd.h"

enum { LINE = 8, PARTS = LINE / WIDTH, AHEAD = 128 };

INLINE u64 streams_of(int count, const double *x, i64 n) {
	u64v s[4][PARTS] = {}, all = {};
	for (i64 i = 0; i < n; i += LINE) {
		UNROLL for (int j = 0; j < count; j++) {
			const double *p = x + j * n + i;
			PREFETCH(p + AHEAD);
			UNROLL for (int k = 0; k < PARTS; k++) s[j][k] ^= LOAD(u64v, p + WIDTH * k);
		}
	}
	UNROLL for (int j = 0; j < count; j++) {
		UNROLL for (int k = 0; k < PARTS; k++) all ^= s[j][k];
	}
	u64 f = 0;
	UNROLL for (int l = 0; l < WIDTH; l++) f ^= all[l];
	return f;
}

KERNEL_U64(fold, const double x[], i64 n, i64 streams) {
	switch (streams) {
	case 1: return streams_of(1, x, n);
	case 2: return streams_of(2, x, n);
	case 3: return streams_of(3, x, n);
	default: return streams_of(4, x, n);
	}
}
