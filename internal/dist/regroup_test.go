package dist

import (
	"slices"
	"testing"
)

// Vectors pass to joined domains and back, for more and fewer ranks than domains, which run concurrently; ranks without domains take part.
func TestRegroupConcurrent(t *testing.T) {
	d := Domains{Start: []int64{0, 3, 3, 10, 11, 20, 26}} // the second one is empty
	for count, want := range map[int][]int64{1: {0, 26}, 2: {0, 10, 26}, 4: {0, 3, 10, 11, 26}, 6: d.Start} {
		joined := d.Joined(count)
		if !slices.Equal(joined.Start, want) {
			t.Errorf("%d domains begin at %d, want %d", count, joined.Start, want)
		}
		for _, size := range []int{1, 2, 3, 6, 9} {
			Run(size, func(c Comm) {
				layout := func(d Domains) *Layout { // each domain has a ghost before or after it
					lo, hi := d.Owned(c.Rank(), size)
					ghosts := make([][]int64, hi-lo)
					for k := range ghosts {
						if from, end := d.Start[lo+k], d.Start[lo+k+1]; from > 0 {
							ghosts[k] = []int64{from - 1}
						} else if end < d.Rows() {
							ghosts[k] = []int64{end}
						}
					}
					l, err := NewLayout(c, d, ghosts)
					if err != nil {
						panic(err)
					}
					return l
				}
				from, to := layout(d), layout(joined)
				down, up := NewRegroup(from, to), NewRegroup(to, from)
				x, y := make([]float32, from.Len), make([]float32, to.Len)
				for _, p := range from.Parts {
					for i := range p.Own {
						x[p.First()+i] = float32(p.Row) + float32(i)
					}
				}
				sent := slices.Clone(x)
				Pass(down, y, x)
				for _, p := range to.Parts {
					for i := range p.Own {
						if v := y[p.First()+i]; v != float32(p.Row)+float32(i) {
							t.Errorf("%d domains on %d ranks: row %d is %g", count, size, p.Row+int64(i), v)
						}
					}
				}
				clear(x)
				if Pass(up, x, y); !slices.Equal(x, sent) {
					t.Errorf("%d domains on %d ranks: %g comes back as %g", count, size, sent, x)
				}
			})
		}
	}
}
