package dist

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// NewSpace returns the space of vectors of a layout on the threads of pool; its dimension is the number of rows of
// all ranks. Operations act elementwise on own elements; the ghosts of a result are stale. Inner products, norms and
// maxima are collective, and are exact sums of the results of blocks, each of which lies within a domain; see
// NewReducer.
func NewSpace(l *Layout, pool *parallel.Pool) linop.Host {
	var own []linop.Range
	for _, p := range l.Parts {
		own = append(own, linop.Range{Lo: p.First(), Hi: p.End(), First: int(p.Row)})
	}
	h := linop.NewHostOf(int(l.Domains.Rows()), l.Len, own, pool)
	h.SetReducer(NewReducer(l.Comm))
	return h
}
