//go:build !purego

package kernels

func init() {
	listTerms.from(AVX2, func(col []int32, val []float64, j []int32, f []float64, part []Rows, shift uint) (rows, terms int) {
		return termsAVX2(&col[0], &val[:len(col)][0], len(col), &j[0], &f[:len(j)][0], len(j), &part[0], shift)
	})
}

//go:noescape
func termsAVX2(col *int32, val *float64, room int, j *int32, f *float64, n int, part *Rows, shift uint) (rows, terms int)
