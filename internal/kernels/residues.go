package kernels

// ResidueBits is the most bits of a residue: 256 products of two of them add up in 64 bits.
const ResidueBits = 28

// ResidueGroup divides the lengths of vectors of residues.
const ResidueGroup = 16

// residuesKernel sets sums[2r] + 2^32 sums[2r+1] to the inner product of row r of a and x[r step:], both of that length, a
// multiple of ResidueGroup, for all rows; sums[2r] < 2^32.
type residuesKernel = func(sums []uint64, a, x []uint32, length, step int)

// DotResidues computes inner products of the rows of a with x, or with the rows of x if step is the length. All elements are
// below 2^28. Row r takes the length elements of a from r length, those of x from r step, and yields sums[2r] + 2^32 sums[2r+1],
// the first below 2^32; so all sets give the same bits. The length is a multiple of ResidueGroup.
func (k *Set) DotResidues(sums []uint64, a, x []uint32, length, step int) {
	k.residues(sums, a, x, length, step)
}

func dotResidues(sums []uint64, a, x []uint32, length, step int) {
	const together = 256
	for r := range len(sums) / 2 {
		u, v := a[r*length:][:length], x[r*step:][:length]
		var low, high uint64
		for len(u) > 0 {
			n := min(len(u), together)
			s := uint64(0)
			for i, d := range u[:n] {
				s += uint64(d) * uint64(v[i])
			}
			low += s & (1<<32 - 1)
			high += s >> 32
			u, v = u[n:], v[n:]
		}
		sums[2*r], sums[2*r+1] = low&(1<<32-1), high+low>>32
	}
}
