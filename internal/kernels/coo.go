package kernels

// COO is elements of a sparse matrix, each with its row and column, sorted by rows.
type COO struct {
	Row, Col []int32
	Val      []float64
}

// Slice returns the elements from lo to hi-1.
func (m COO) Slice(lo, hi int) COO { return COO{m.Row[lo:hi], m.Col[lo:hi], m.Val[lo:hi]} }

// COOAddVec adds A x to dst: each row that has elements gets their sum, which has the bits of
// CSRMulVec if the elements of a row are all there.
func (k *Set) COOAddVec(dst []float64, m COO, x []float64) { k.coo(dst, m.Row, m.Col, m.Val, x) }

type cooKernel = func(dst []float64, row, col []int32, val, x []float64)

// cooAddVec is COOAddVec in portable Go.
func cooAddVec(dst []float64, row, col []int32, val, x []float64) {
	for len(row) > 0 {
		n, r := 1, row[0]
		for n < len(row) && row[n] == r {
			n++
		}
		dst[r] += rowDot(col[:n], val[:n], x)
		row, col, val = row[n:], col[n:], val[n:]
	}
}
