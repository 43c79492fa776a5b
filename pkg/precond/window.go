package precond

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	resultShift  = 9  // pieces of the result of galerkin have 512 rows
	windowPieces = 32 // pieces of the right factor that enter before a part of the result is made, if so many are needed
)

// A productWindow is the part lo to hi-1 of the pieces of a product r b, before which pieces of b enter, and
// after which others leave.
type productWindow struct {
	lo, hi       int
	enter, leave []int
}

// productWindows divides a product r b into parts each of which takes about windowPieces new pieces of b.
func productWindows(r *csr.Matrix, b, result *pieces, pool *parallel.Pool) (all []productWindow) {
	needs := make([][]int, len(result.part)) // pieces of b
	pool.Run(len(needs), parallel.Func(func(part int) {
		needed := make([]bool, len(b.part))
		lo, hi := result.bounds(part)
		for _, j := range r.Col[r.RowPtr[lo]:r.RowPtr[hi]] {
			needed[int(j)>>b.shift] = true
		}
		for k, is := range needed {
			if is {
				needs[part] = append(needs[part], k)
			}
		}
	}))
	last := make([]int, len(b.part)) // the part of the result that needs a piece last, from 1
	for part, pieces := range needs {
		for _, k := range pieces {
			last[k] = part + 1
		}
	}
	w, there := productWindow{}, make([]bool, len(b.part))
	for part, pieces := range needs {
		for _, k := range pieces {
			if !there[k] {
				there[k] = true
				w.enter = append(w.enter, k)
			}
			if last[k] == part+1 {
				w.leave = append(w.leave, k)
			}
		}
		if w.hi = part + 1; len(w.enter) >= windowPieces || w.hi == len(needs) {
			all = append(all, w)
			w = productWindow{lo: w.hi}
		}
	}
	return all
}
