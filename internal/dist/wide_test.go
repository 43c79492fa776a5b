package dist_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// laplacian is the 7-point Laplacian on n^3 points, by its formula.
type laplacian struct{ n int64 }

// neighbours returns the points next to a point.
func (l laplacian) neighbours(row int64) (near []int64) {
	for _, step := range []int64{l.n * l.n, l.n, 1} {
		at := row / step % l.n
		if at > 0 {
			near = append(near, row-step)
		}
		if at < l.n-1 {
			near = append(near, row+step)
		}
	}
	slices.Sort(near)
	return near
}

// element is an element of a vector; products with such vectors are exact.
func element(row int64) float64 { return float64(row%1009 - 500) }

// One rank's share of a system of more rows than 32 bits number: 10^5 rows made in place, as of a rank among 30,000 and more. Its
// neighbours own as many and have no entries (Concurrent).
func TestConcurrentShareOfWideSystems(t *testing.T) {
	const share = 100_000
	for _, c := range []struct {
		edge int64
		row  int64 // which the share has
		what string
	}{
		{1443, 3_004_685_307 / 2, "the middle"},
		{1443, 1 << 31, "2^31"},
		{1700, 1 << 32, "2^32"},
	} {
		for _, domains := range []int{1, 2} { // of a rank
			if testing.Short() && (domains == 1 || c.row != 1<<31) {
				continue
			}
			t.Run(fmt.Sprintf("%s of %d^3, %d domains a rank", c.what, c.edge, domains), func(t *testing.T) {
				n := c.edge * c.edge * c.edge
				d := dist.Domains{Start: []int64{0}}
				for at := int64(0); at < n; {
					at = min(n, at+share/int64(domains))
					d.Start = append(d.Start, at)
				}
				ranks := (d.Count() + domains - 1) / domains
				middle := d.Owner(d.Of(c.row), ranks)
				reach := int(c.edge*c.edge/share) + 2
				var present []int
				for r := middle - reach; r <= middle+reach; r++ {
					present = append(present, r)
				}
				testsupport.RunSome(ranks, present, nil, func(comm dist.Comm) {
					w := wideShare{t, laplacian{c.edge}, d, dist.NewTimed(comm), comm.Rank() == middle}
					w.check()
				})
			})
		}
	}
}

// wideShare is the share of a present rank.
type wideShare struct {
	*testing.T
	laplacian
	d    dist.Domains
	comm *dist.Timed
	made bool // the rank has its rows; others have empty ones
}

func (w wideShare) check() {
	lo, hi := w.d.Owned(w.comm.Rank(), w.comm.Size())
	var parts []dist.Rows
	for k := lo; k < hi; k++ {
		parts = append(parts, w.rows(w.d.Start[k], w.d.Start[k+1]))
	}
	a, err := dist.NewMatrix(w.comm, w.d, parts)
	if err != nil {
		w.Error(err)
		return
	}
	ghosts := 0
	for k, p := range a.Parts {
		want := w.ghosts(w.d.Start[lo+k], w.d.Start[lo+k+1])
		if p.Row != w.d.Start[lo+k] || !slices.Equal(p.Ghosts, want) {
			w.Errorf("rank %d: part %d begins with row %d and has %d ghosts, want %d", w.comm.Rank(), k, p.Row, len(p.Ghosts), len(want))
			return
		}
		for _, row := range want {
			if w.d.Owner(w.d.Of(row), w.comm.Size()) != w.comm.Rank() {
				ghosts++
			}
		}
	}
	x, y := make([]float64, a.Len), make([]float64, a.Len)
	for _, p := range a.Parts {
		for i := range p.Own {
			x[p.First()+i] = element(p.Row + int64(i))
		}
	}
	before := w.comm.Traffic
	dist.NewCSR(a, a.Local, nil).Apply(y, x)
	sent := []int64{w.comm.Traffic.Minus(before).Bytes - 8*int64(ghosts)}
	if w.comm.Sum(sent); sent[0] != 0 {
		w.Errorf("a product sends %d bytes more than 8 for each ghost", sent[0])
	}
	for _, p := range a.Parts {
		for at := p.At; at < p.Next(); at++ {
			if x[at] != element(a.Global(at)) {
				w.Errorf("rank %d has another x_%d", w.comm.Rank(), a.Global(at))
				return
			}
		}
		for i := range p.Own {
			row, want := p.Row+int64(i), 0.0
			if w.made {
				want = 6 * element(row)
				for _, j := range w.neighbours(row) {
					want -= element(j)
				}
			}
			if y[p.First()+i] != want {
				w.Errorf("rank %d: element %d of the product is %g, want %g", w.comm.Rank(), row, y[p.First()+i], want)
				return
			}
		}
	}
}

// rows makes rows lo to hi-1.
func (w wideShare) rows(lo, hi int64) dist.Rows {
	if !w.made {
		return dist.Rows{RowPtr: make([]int64, hi-lo+1)}
	}
	k, _ := generate.Find("poisson3d")
	pool := parallel.New(1)
	defer pool.Close()
	ptr, col, val, err := k.MakeRows(generate.Params{"n": float64(w.n)}, lo, hi, pool)
	if err != nil {
		w.Error(err)
		return dist.Rows{RowPtr: make([]int64, hi-lo+1)}
	}
	return dist.Rows{RowPtr: ptr, Col: col, Val: val}
}

// ghosts returns what rows lo to hi-1 refer to beside themselves.
func (w wideShare) ghosts(lo, hi int64) (rows []int64) {
	if !w.made {
		return nil
	}
	for row := lo; row < hi; row++ {
		for _, j := range w.neighbours(row) {
			if j < lo || j >= hi {
				rows = append(rows, j)
			}
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// Rows that move to other owners keep their columns beyond 2^32 (Concurrent).
func TestConcurrentMoveOfWideRows(t *testing.T) {
	const first, last = 1<<32 - 50, 1<<32 + 51
	whole := dist.Rows{RowPtr: []int64{0}}
	for row := int64(first); row < last; row++ {
		for _, j := range []int64{first, row, last - 1} {
			if k := len(whole.Col); j == row || j < row || j > row && (k == 0 || j != whole.Col[k-1]) {
				whole.Col, whole.Val = append(whole.Col, j), append(whole.Val, float64(row-first)+1/float64(j-first+2))
			}
		}
		whole.RowPtr = append(whole.RowPtr, int64(len(whole.Col)))
	}
	slab := func(from, to int64) dist.Slab {
		a, z := whole.RowPtr[from-first], whole.RowPtr[to-first]
		r := dist.Rows{Col: whole.Col[a:z], Val: slices.Clone(whole.Val[a:z])}
		for _, at := range whole.RowPtr[from-first : to-first+1] {
			r.RowPtr = append(r.RowPtr, at-a)
		}
		s, err := dist.NewSlab(from, r)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// Ranks 0 and 3 own all rows below and above, and are absent.
	testsupport.RunSome(4, []int{1, 2}, nil, func(c dist.Comm) {
		have := [][2]int64{{first, 1 << 32}, {1 << 32, last}}[c.Rank()-1]
		d := dist.Domains{Start: []int64{0, first, first + 20, last, 1 << 33}}
		s, err := dist.Move(c, slab(have[0], have[1]), have[0], d)
		if err != nil {
			t.Error(err)
			return
		}
		want := slab(d.Start[c.Rank()], d.Start[c.Rank()+1])
		if !slices.Equal(s.Columns, want.Columns) || !slices.Equal(s.RowPtr, want.RowPtr) || !slices.Equal(s.Col, want.Col) || !slices.Equal(s.Val, want.Val) {
			t.Errorf("rank %d has other rows than its own", c.Rank())
		}
	})
}

// An entry of a row near 0 and one of a row near 2^32, none of which has a mirror image, do not pass for each other's (Concurrent).
func TestConcurrentWideAsymmetry(t *testing.T) {
	const far = 1 << 32
	d := dist.Domains{Start: []int64{0, 10, far, far + 10}}
	testsupport.RunSome(3, []int{0, 2}, slices.Clone[[]byte], func(c dist.Comm) {
		rows := dist.Rows{RowPtr: []int64{0}}
		for i := d.Start[c.Rank()]; i < d.Start[c.Rank()+1]; i++ {
			switch i {
			case 2:
				rows.Col, rows.Val = append(rows.Col, i, far+5), append(rows.Val, 1, 0.5) // a_2,j
			case 5:
				rows.Col, rows.Val = append(rows.Col, 3, i), append(rows.Val, 0.5, 1) // a_53
			default:
				rows.Col, rows.Val = append(rows.Col, i), append(rows.Val, 1)
			}
			rows.RowPtr = append(rows.RowPtr, int64(len(rows.Col)))
		}
		a, err := dist.NewMatrix(c, d, []dist.Rows{rows})
		if err != nil {
			t.Error(err)
			return
		}
		if f := dist.Examine(a, nil); f.Symmetric || f.Rows != far+10 {
			t.Errorf("%d rows, symmetric: %v", f.Rows, f.Symmetric)
		}
	})
}

// A rank with more rows and ghosts than 32 bits number is an error of all ranks (Concurrent).
func TestConcurrentTooManyRowsOfARank(t *testing.T) {
	d := dist.Domains{Start: []int64{0, 10, 10 + math.MaxInt32}}
	dist.Run(2, func(c dist.Comm) {
		if _, err := dist.NewLayout(c, d, make([][]int64, 1)); err != nil {
			t.Errorf("2^31-1 rows: %v", err)
		}
		_, err := dist.NewLayout(c, d, [][][]int64{{{15}}, {{3}}}[c.Rank()])
		if err == nil || err.Error() != "dist: 2147483648 rows and ghosts on a rank; at most 2^31-1 are possible: more ranks are needed" {
			t.Errorf("2^31-1 rows and a ghost: %v", err)
		}
	})
}
