//go:build !purego

package kernels

func mulSubSIMD(kernel func(c, a, b *float64, strideC, strideA, strideB, m, n, k int)) mulSubKernel {
	return func(c, a, b Dense, m, n, k int) {
		kernel(&c.Val[0], &a.Val[0], &b.Val[0], c.Stride, a.Stride, b.Stride, m, n, k)
	}
}

//go:noescape
func mulSub256(c, a, b *float64, strideC, strideA, strideB, m, n, k int)

//go:noescape
func mulSub512(c, a, b *float64, strideC, strideA, strideB, m, n, k int)
