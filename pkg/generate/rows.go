package generate

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/parallel"
)

// MakeRows makes rows lo to hi-1 of the matrix that Generate makes of the kind, on the threads of pool, for example the
// rows of a rank. rowPtr begins with 0; col has the columns of the whole matrix.
func (k Kind) MakeRows(p Params, lo, hi int64, pool *parallel.Pool) (rowPtr, col []int64, val []float64, err error) {
	v, err := k.values(p)
	if err != nil {
		return nil, nil, nil, err
	}
	if rows, _ := k.size(v); lo < 0 || lo > hi || hi > rows || rows > math.MaxInt32 {
		return nil, nil, nil, fmt.Errorf("generate %s: rows %d to %d of %d, at most 2^31-1", k.Name, lo, hi, rows)
	}
	s := k.source(pool, v)
	n := int(hi - lo)
	rowPtr = make([]int64, n+1)
	eachRow(pool, n, func(i int) { rowPtr[i+1] = int64(s.count(int(lo) + i)) })
	for i := range n {
		rowPtr[i+1] += rowPtr[i]
	}
	col, val = make([]int64, rowPtr[n]), make([]float64, rowPtr[n])
	parts := (n + rowsPerPart - 1) / rowsPerPart
	pool.Run(parts, parallel.Func(func(part int) {
		var narrow []int32
		for i := part * rowsPerPart; i < min(n, (part+1)*rowsPerPart); i++ {
			from, to := rowPtr[i], rowPtr[i+1]
			narrow = append(narrow[:0], make([]int32, to-from)...)
			s.fill(int(lo)+i, narrow, val[from:to])
			for at, j := range narrow {
				col[from+int64(at)] = int64(j)
			}
		}
	}))
	return rowPtr, col, val, nil
}
