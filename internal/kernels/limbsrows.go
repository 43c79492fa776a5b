package kernels

// Entries of a row, two words each, are |a| = (a1 2^52 + a0) 2^(-52 shift) in units of the row:
//
//	a0 + 2^63 (a < 0),    a1 + 2^52 shift
//
// with 0 <= shift <= MaxLimbs. The limbs of x are magnitudes; bit 63 of the lowest limb is the sign.
const limbSign = 1 << 63

// LimbRowWords returns the words that a row takes of the sums of RowLimbs, and how many of its lanes.
func LimbRowWords(size int) (words, lanes int) {
	lanes = (size + 3) / 4 * 4
	return 3*lanes + 2, lanes
}

// LimbPadding is the number of words that must follow those of x in RowLimbs.
const LimbPadding = 2*MaxLimbs + 14

// RowLimbs computes rows of a sparse matrix times x, whose numbers have `size` limbs. The entries of row r are ptr[r] to
// ptr[r+1]-1, of at most MaxLimbTerms/2 entries. Entry e has the column col[e] and the words entries[2e] and entries[2e+1].
//
// The row's words of s are three times `lanes` sums and two more, see LimbRowWords. With z the limbs of x from `shift` on,
// followed by zeros, and every bit of all lanes inverted if the product is negative, sums 0 have the low limbs of a0 z, sums 1 the high
// limbs of a0 z and the low ones of a1 z, sums 2 the high limbs of a1 z, so that limb k of sums q has the weight of
// limb k+q. The two more are the sums of a0 and a1 of negative products: since inverted is 2^(52 lanes) - 1 - z, they are to be
// subtracted at limb `lanes` and added at limb 0.
func (k *Set) RowLimbs(size int, s []uint64, ptr []int, col []int32, entries, x []uint64) {
	k.limbs.rows(size, s, ptr, col, entries, x)
}

type rowLimbsKernel func(size int, s []uint64, ptr []int, col []int32, entries, x []uint64)

func rowLimbs(size int, s []uint64, ptr []int, col []int32, entries, x []uint64) {
	words, lanes := LimbRowWords(size)
	for r := range len(ptr) - 1 {
		row := s[words*r : words*(r+1)]
		clear(row)
		for e := ptr[r]; e < ptr[r+1]; e++ {
			low, high := entries[2*e], entries[2*e+1]
			from := x[int(col[e])*size:][:size]
			shift := int(high >> LimbBits)
			a0, a1 := low&LimbMask, high&LimbMask
			var flip uint64
			if (low^from[0])&limbSign != 0 {
				flip = LimbMask
				row[3*lanes] += a0
				row[3*lanes+1] += a1
			}
			for k := range lanes {
				z := flip
				if k+shift < size {
					z ^= from[k+shift] & LimbMask
				}
				h, l := mulLimb(a0, z)
				row[k] += l
				row[lanes+k] += h
				h, l = mulLimb(a1, z)
				row[lanes+k] += l
				row[2*lanes+k] += h
			}
		}
	}
}
