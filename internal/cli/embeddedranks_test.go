package cli

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// shares returns an Embedded on a rank, as after Join.
func shares(c dist.Comm, options ...string) (*Embedded, error) {
	e := NewEmbedded()
	e.run.job = newRanks(c, func() {}, io.Discard)
	for k := 0; k < len(options); k += 2 {
		if err := e.Set(options[k], options[k+1]); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Ranks that are goroutines share a matrix: x has the same bits for any number of ranks, and the report follows the schema.
func TestSharedMatrixConcurrent(t *testing.T) {
	t.Setenv("GOMAXPROCS", "2") // ranks share this process, so no rank may change the number of threads
	inOrder, b := plate(t)
	n := int64(inOrder.Rows)
	validate := validator(t, "report.schema.json")
	random := randomly(inOrder)
	for _, domains := range []string{"1", "3", "3, by the graph"} {
		m, b := inOrder, b
		domains, _, byGraph := strings.Cut(domains, ",")
		if byGraph {
			m, b = random, make([]float64, n)
			m.MulVec(b, slices.Repeat([]float64{1}, int(n)))
		}
		var first []float64
		for _, size := range []int{1, 2, 3} {
			x := make([]float64, n)
			dist.Run(size, func(c dist.Comm) {
				r := int64(c.Rank())
				from, end := n-n*(r+1)/int64(size), n-n*r/int64(size) // the first rows are on the last rank
				e, err := shares(c, "domains", domains, "tol", "1e-13")
				if err == nil {
					err = e.SetRows(from, dist.RowRange(m, int(from), int(end)))
				}
				if err == nil {
					defer e.Close()
					err = e.Solve(context.Background(), [][]float64{b[from:end]}, [][]float64{nil}, [][]float64{x[from:end]})
				}
				if err == nil {
					err = validate(string(e.Report()))
				}
				if said := strings.Contains(string(e.Report()), ": by the graph, ghosts "); err == nil && said != byGraph {
					t.Errorf("%s domains: by the graph %v, want %v", domains, said, byGraph)
				}
				if err != nil {
					t.Errorf("%s domains, rank %d of %d: %v", domains, r, size, err)
				}
			})
			for i, v := range x {
				if math.Abs(v-1) > 1e-9 {
					t.Fatalf("%s domains, %d ranks: element %d is %g, want 1", domains, size, i, v)
				}
			}
			if first == nil {
				first = x
			}
			if !slices.Equal(x, first) {
				t.Errorf("%s domains, %d ranks: x has other bits than on one", domains, size)
			}
		}
	}
}

// Each row must be on one rank.
func TestTile(t *testing.T) {
	for _, c := range []struct {
		have  []dist.Span
		words string
	}{
		{[]dist.Span{{From: 0, End: 10}}, ""},
		{[]dist.Span{{From: 7, End: 10}, {From: 3, End: 3}, {From: 3, End: 7}, {From: 0, End: 3}, {From: 99, End: 99}}, ""},
		{[]dist.Span{{From: 0, End: 5}, {From: 4, End: 10}}, "rank 1 has the rows 5 to 10, counted from 1, and row 6 is the first"},
		{[]dist.Span{{From: 6, End: 10}, {From: 0, End: 5}}, "rank 0 has the rows 7 to 10, counted from 1, and row 6 is the first"},
		{[]dist.Span{{From: 0, End: 5}, {From: 5, End: 9}}, "9 rows of 10"},
		{[]dist.Span{{From: 0, End: 11}}, "11 rows of 10"},
		{[]dist.Span{{From: -1, End: 10}}, "rank 0 has the rows 0 to 10"},
		{[]dist.Span{{From: math.MaxInt64, End: math.MinInt64 + 5}, {From: 0, End: 10}}, "rank 0"},
	} {
		switch err := tile(c.have, 10); {
		case c.words == "" && err != nil, c.words != "" && (err == nil || !strings.Contains(err.Error(), c.words)):
			t.Errorf("%v: %v, want %q", c.have, err, c.words)
		}
	}
}

// Options for several domains need a matrix that ranks share.
func TestSharedOptions(t *testing.T) {
	m, _ := plate(t)
	for _, name := range sharedOptions {
		e := embedded(t, name, "1")
		err := e.SetMatrix(m)
		if err == nil {
			err = e.SetUp(context.Background())
		}
		if code, text := Code(err); code != exitUsage || !strings.Contains(text, "option "+name) {
			t.Errorf("%s: %d, %s", name, code, text)
		}
	}
}
