//go:build !purego && (amd64 || arm64)

package kernels

// limbFunc is a kernel of c/limbs.c.
type limbFunc func(s, a *uint64, step int, b *uint64, count int)

// limbsSIMD makes a kernel of those for each of limbSizes, each: the numbers of b for a number of a.
func limbsSIMD(each int, of [len(limbSizes)]limbFunc) limbKernel {
	return func(size int, s, a []uint64, step int, b []uint64, count int) {
		if count <= 0 {
			return
		}
		// The lengths are checked here, since assembly does not.
		_, _, _ = s[Lanes*(size+1)-1], a[step*(count-1)+Lanes*size-1], b[each*size*count-1]
		of[limbIndex(size)](&s[0], &a[0], step, &b[0], count)
	}
}

// rowLimbsFunc is a kernel of c/limbsrows.c.
type rowLimbsFunc func(s *uint64, ptr *int, rows int, col *int32, entries, x, below *uint64)

// belowLimbs are masks of MaxLimbs limbs and zeros above them.
var belowLimbs = func() (m [2*MaxLimbs + 14]uint64) {
	for k := range MaxLimbs {
		m[k] = LimbMask
	}
	return m
}()

func rowLimbsSIMD(of [len(limbSizes)]rowLimbsFunc) rowLimbsKernel {
	return func(size int, s []uint64, ptr []int, col []int32, entries, x []uint64) {
		rows := len(ptr) - 1
		if rows <= 0 || len(col) == 0 {
			rowLimbs(size, s, ptr, col, entries, x)
			return
		}
		words, _ := LimbRowWords(size)
		_, _, _ = s[words*rows-1], entries[2*ptr[rows]-1], x[LimbPadding-1]
		of[limbIndex(size)](&s[0], &ptr[0], rows, &col[0], &entries[0], &x[0], &belowLimbs[0])
	}
}
