// CRC-32C by the instructions of processors; see CRC32C. An instruction takes three cycles, but one can begin in each
// cycle: hence several streams, which also keep more memory accesses in flight.
//
// Flags for neon: -march=armv8-a+crc
#include "simd.h"

#if WIDTH == 4
#ifdef __x86_64__
#define CRC(crc, word) (u32)_mm_crc32_u64(crc, word)
#else
#define CRC(crc, word) __builtin_arm_crc32cd(crc, word)
#endif

KERNEL(crc, const u8 *b, i64 n, u32 sums[4]) {
	u32 c0 = sums[0], c1 = sums[1], c2 = sums[2], c3 = sums[3];
	for (i64 i = 0; i < n; i += 8) {
		c0 = CRC(c0, LOAD(u64, b + i));
		c1 = CRC(c1, LOAD(u64, b + i + n));
		c2 = CRC(c2, LOAD(u64, b + i + 2 * n));
		c3 = CRC(c3, LOAD(u64, b + i + 3 * n));
	}
	sums[0] = c0, sums[1] = c1, sums[2] = c2, sums[3] = c3;
}
#endif
