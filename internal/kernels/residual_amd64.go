//go:build !purego

package kernels

// residualGroups leaves groups of rows of unlike lengths to the portable loop.
func residualGroups(r, b []float64, lo, hi int, rowPtr []int64, col []int32, val, x []float64) {
	for lo < hi {
		end := evenRows(rowPtr, lo, hi)
		if end > lo {
			residualAVX512(&r[lo], &b[lo], (end-lo)/8, &rowPtr[lo], &col[0], &val[0], &x[0])
			lo = end
		}
		if end = min(lo+8, hi); end > lo {
			csrResidualDD(r, b, lo, end, rowPtr, col, val, x)
			lo = end
		}
	}
}

// evenRows returns the end of the rows from lo on that are of about the same length in each group
// of eight, whose sums take turns with the longest.
func evenRows(rowPtr []int64, lo, hi int) int {
	for ; lo+8 <= hi; lo += 8 {
		ends := rowPtr[lo : lo+9]
		longest := ends[1] - ends[0]
		for k := 1; k < 8; k++ {
			longest = max(longest, ends[k+1]-ends[k])
		}
		if all := ends[8] - ends[0]; all == 0 || 2*longest > all {
			break
		}
	}
	return lo
}

//go:noescape
func residualAVX512(r, b *float64, groups int, rowPtr *int64, col *int32, val, x *float64)
