//go:build !purego && (amd64 || arm64)

package kernels

// filledMultiCall is struct filled_multi_call of c/filledmulti.c.
type filledMultiCall struct {
	dst   *float64
	rows  int
	start *int64
	col   *int32
	val   *float64
	x     *float64
}

// filledMultiSIMD makes a filledMultiKernel of the assembly for 2, 4 and 8 vectors.
func filledMultiSIMD(two, four, eight func(c *filledMultiCall)) filledMultiKernel {
	return func(dst []float64, k int, start []int64, col []int32, val, x []float64) {
		if len(dst) == 0 || len(x) == 0 {
			clear(dst)
			return
		}
		c := filledMultiCall{&dst[0], len(dst) / k, &start[0], first(col), first(val), &x[0]}
		[...]func(c *filledMultiCall){two, four, eight}[vectorsIndex(k)](hide(&c))
	}
}
