package dist

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Rows that are on one rank, or cut otherwise, reach their owners unchanged, however little is sent at a time
// (Concurrent).
func TestConcurrentMove(t *testing.T) {
	for _, n := range []int{1, 7, 500} {
		m := scattered(t, n, 4, uint64(n))
		for _, domains := range []int{1, 3, 7} {
			if domains > n {
				continue
			}
			for _, ranks := range []int{1, 2, 3, 5, 9} {
				for _, most := range []int64{1, 1000, 1 << 20} {
					t.Run(fmt.Sprintf("%d rows, %d domains, %d ranks, %d bytes", n, domains, ranks, most), func(t *testing.T) {
						Run(ranks, func(c Comm) { move3(t, c, m, domains, most) })
					})
				}
			}
		}
	}
}

// move3 moves all rows from rank 0 to an even cut, from there to another cut, and compares.
func move3(t *testing.T, c Comm, m *csr.Matrix, domains int, most int64) {
	have := &csr.Matrix{Cols: m.Cols, RowPtr: []int64{0}}
	first := int64(m.Rows)
	if c.Rank() == 0 {
		have, first = RowRange(m, 0, m.Rows), 0
	}
	for k, entries := range []func(int64) int64{
		func(i int64) int64 { return i }, func(i int64) int64 { return i * i * i }, func(i int64) int64 { return 1000 - (1000-i)*(1000-i) },
	} {
		d, err := Cut(int64(m.Rows), domains, entries)
		if err != nil {
			t.Error(err)
			return
		}
		s, err := moveRows(c, Slab{Matrix: have}, first, d, most)
		if err != nil {
			t.Error(err)
			return
		}
		have = s.Matrix
		own := d.Spans(c.Size())[c.Rank()]
		first = own.From
		want := RowRange(m, int(own.From), int(own.End))
		if !slices.Equal(have.RowPtr, want.RowPtr) || !slices.Equal(have.Col, want.Col) || !slices.Equal(have.Val, want.Val) {
			t.Errorf("move %d: rank %d has other rows than its own", k, c.Rank())
			return
		}
	}
}

// Rows also reach their owners from ranks that have them in another order (Concurrent).
func TestConcurrentMoveFromAnyOrder(t *testing.T) {
	m := scattered(t, 300, 4, 1)
	d, err := CutMatrix(m, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{2, 3, 4} {
		turned := append(d.Spans(ranks)[1:], d.Spans(ranks)[0])
		backwards := []Span{{0, 100}, {100, 100}, {100, 170}, {170, 300}}[:ranks]
		backwards[ranks-1].End = 300
		slices.Reverse(backwards)
		for _, has := range [][]Span{turned, backwards} {
			Run(ranks, func(c Comm) {
				has, own := has[c.Rank()], d.Spans(ranks)[c.Rank()]
				got, err := moveRows(c, Slab{Matrix: RowRange(m, int(has.From), int(has.End))}, has.From, d, 1000)
				if err != nil {
					t.Error(err)
					return
				}
				want := RowRange(m, int(own.From), int(own.End))
				if !slices.Equal(got.RowPtr, want.RowPtr) || !slices.Equal(got.Col, want.Col) || !slices.Equal(got.Val, want.Val) {
					t.Errorf("rank %d of %d has other rows than its own", c.Rank(), ranks)
				}
			})
		}
	}
}

// Counts in groups cut where counts of single rows do, up to the size of a group, and all ranks cut alike.
func TestCounts(t *testing.T) {
	m := scattered(t, 3000, 3, 1)
	exact, err := CutMatrix(m, 7)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Cut(3000, 7, func(i int64) int64 { return m.RowPtr[i] })
	if err != nil || !slices.Equal(exact.Start, want.Start) {
		t.Errorf("%v, want %v (%v)", exact.Start, want.Start, err)
	}
	c := NewCounts(mostGroups * 5)
	if c.shift != 3 || len(c.n) > mostGroups {
		t.Errorf("%d groups of 2^%d rows", len(c.n), c.shift)
	}
	ptr := make([]int64, mostGroups*5+1)
	for i := range ptr {
		ptr[i] = int64(i) * 3
	}
	c.AddRows(0, ptr[:1001])
	c.AddRows(1000, ptr[1000:])
	d, err := c.Cut(10)
	if err != nil {
		t.Fatal(err)
	}
	for k, at := range d.Start {
		if want := int64(mostGroups*5/10) * int64(k); max(at-want, want-at) > 60 {
			t.Errorf("domain %d begins at %d, want about %d", k, at, want)
		}
	}
}

// First is the smallest rank, and Share distributes what the root has.
func TestConcurrentFirstAndShare(t *testing.T) {
	Run(4, func(c Comm) {
		if got := First(c, c.Rank() >= 2); got != 2 {
			t.Errorf("First is %d, want 2", got)
		}
		if got := First(c, false); got != -1 {
			t.Errorf("First is %d, want -1", got)
		}
		own := strings.Repeat("x", 7*c.Rank())
		if got := Share(c, 3, []byte(own)); len(got) != 21 {
			t.Errorf("Share gives %q", got)
		}
	})
}

// Vectors go from any ranges of rows to any others, and from rank 0, however little is sent at a time (Concurrent).
func TestConcurrentRedistribute(t *testing.T) {
	all := make([]float64, 100)
	for i := range all {
		all[i] = float64(i)
	}
	d, err := Cut(100, 5, func(i int64) int64 { return i * i })
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{1, 2, 3, 9} {
		own := d.Spans(ranks)
		back := slices.Clone(own)
		slices.Reverse(back) // the first rows are on the last rank
		uneven := make([]Span, ranks)
		for r := range uneven {
			uneven[r] = Span{int64(min(7*r, 100)), int64(min(7*r+7, 100))}
		}
		uneven[ranks-1].End = 100
		for _, most := range []int64{1, 7, 1000} {
			Run(ranks, func(c Comm) {
				part := func(s []Span) []float64 { return partOf(all, Span{0, 100}, s[c.Rank()]) }
				for _, have := range [][]Span{own, back, uneven} {
					for _, want := range [][]Span{own, back, uneven} {
						if got := redistribute(c, part(have), have, want, most); !slices.Equal(got, part(want)) {
							t.Errorf("rank %d of %d: %v to %v gives %v", c.Rank(), ranks, have, want, got)
						}
					}
				}
				var whole []float64
				if c.Rank() == 0 {
					whole = all
				}
				if got := Scatter(c, d, whole); !slices.Equal(got, part(own)) {
					t.Errorf("rank %d of %d has %v", c.Rank(), ranks, got)
				}
			})
		}
	}
}

// The counters hold what was sent, for any number of ranks, and all calls are passed on.
func TestTimedConcurrent(t *testing.T) {
	m := scattered(t, 300, 4, 1)
	const domains, exchanges = 3, 5
	for _, ranks := range []int{1, 2, 3} {
		var sent, wanted atomic.Int64
		Run(ranks, func(c Comm) {
			timed := NewTimed(c)
			compareWithWhole(t, timed, m, domains)
			a, err := Spread(timed, m, domains)
			if err != nil {
				t.Error(err)
				return
			}
			before := timed.Traffic
			x := make([]float64, a.Len)
			for range exchanges {
				a.Halo.Exchange(x)
			}
			timed.Sum(make([]int64, 7))
			timed.Max(make([]int64, 2))
			got := timed.Traffic.Minus(before)
			if got.Reductions != 2 || got.Numbers != 9 {
				t.Errorf("%d reductions of %d numbers, want 2 of 9", got.Reductions, got.Numbers)
			}
			if got.Halo <= 0 || got.Waiting <= 0 || got.Reduction <= 0 {
				t.Errorf("no time: %+v", got)
			}
			first, _ := a.Domains.Owned(c.Rank(), c.Size())
			for k, p := range a.Parts {
				for _, row := range p.Ghosts {
					if d := a.Domains.Of(row); a.Domains.Owner(d, c.Size()) != a.Domains.Owner(first+k, c.Size()) {
						wanted.Add(8 * exchanges)
					}
				}
			}
			sent.Add(got.Bytes)
		})
		if sent.Load() != wanted.Load() {
			t.Errorf("%d ranks sent %d bytes for ghosts of %d", ranks, sent.Load(), wanted.Load())
		}
	}
}

// All ranks hear at the next sum that one has something to say, and sums are those of the Comm below.
func TestHearingConcurrent(t *testing.T) {
	const ranks, rounds, spoken = 3, 5, 3
	Run(ranks, func(c Comm) {
		timed, round := NewTimed(c), 0
		h := NewHearing(timed)
		if NewHearing(h) != h {
			t.Error("another one")
		}
		if h.Quiet() {
			t.Error("quiet without a sum")
		}
		if c.Rank() == 1 {
			h.Speaks = func() bool { return round == spoken }
		}
		for round = range rounds {
			x := []int64{int64(c.Rank()), 1}
			h.Sum(x)
			h.Sum(nil)
			if x[0] != 3 || x[1] != ranks {
				t.Errorf("sums are %v", x)
			}
			if quiet := h.Quiet(); quiet != (round != spoken) {
				t.Errorf("round %d: quiet %v", round, quiet)
			}
		}
		if n := timed.Traffic.Reductions; n != 2*rounds {
			t.Errorf("%d reductions", n)
		}
	})
}
