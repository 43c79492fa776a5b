//go:build !purego

package kernels

func termsSIMD(kernel func(col *int32, val *float64, room int, j *int32, f *float64, n int, part *Rows, shift uint) (rows, terms int)) termsKernel {
	return func(col []int32, val []float64, j []int32, f []float64, part []Rows, shift uint) (rows, terms int) {
		return kernel(&col[0], &val[:len(col)][0], len(col), &j[0], &f[:len(j)][0], len(j), &part[0], shift)
	}
}

func addTermsSIMD(kernel func(place, col *int32, val *float64, c *int32, p *float64, n int) int) addTermsKernel {
	return func(place, col []int32, val []float64, c []int32, p []float64) int {
		return kernel(&place[0], &col[0], &val[0], &c[0], &p[0], len(c))
	}
}

//go:noescape
func termsAVX2(col *int32, val *float64, room int, j *int32, f *float64, n int, part *Rows, shift uint) (rows, terms int)

//go:noescape
func addTermsAVX2(place, col *int32, val *float64, c *int32, p *float64, n int) int
