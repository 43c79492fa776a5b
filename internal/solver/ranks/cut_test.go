package ranks

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// mesh returns a generated matrix with random numbers of its nodes, each of so many unknowns.
func mesh(t *testing.T, kind string, p generate.Params, node int) *csr.Matrix {
	t.Helper()
	m, err := generate.Generate(kind, p)
	if err != nil {
		t.Fatal(err)
	}
	var to csr.Permutation
	for _, v := range rand.New(rand.NewPCG(1, 2)).Perm(m.Rows / node) {
		for a := range node {
			to = append(to, int32(v*node+a))
		}
	}
	return m.Permuted(to, to.Inverse(), nil)
}

// cutting is what CutByGraph has done.
type cutting struct {
	text   string
	err    error
	ghosts int64
	start  []int64
	given  []int64 // the rows, in their new order
	rows   int     // of this rank that are there before the cut and still there
}

// cutOnRanks cuts a matrix in so many domains on so many ranks.
func cutOnRanks(t *testing.T, ctx context.Context, m *csr.Matrix, ranks, domains, node int, room int64, threads int) (c cutting) {
	t.Helper()
	given := make([][]int64, ranks)
	var mu sync.Mutex
	dist.Run(ranks, func(comm dist.Comm) {
		a, err := dist.Spread(comm, m, domains)
		if err != nil {
			t.Error(err)
			return
		}
		j := &Job{Matrix: a, Agreement: NewAgreement(ctx, comm)}
		text, err := j.CutByGraph(func() int { return node }, room, threads)
		ghosts := []int64{int64(j.Elements() - j.Own)}
		comm.Sum(ghosts)
		mu.Lock()
		defer mu.Unlock()
		for _, p := range j.Parts {
			for i := p.First(); i < p.End(); i++ {
				given[comm.Rank()] = append(given[comm.Rank()], j.Given(i))
			}
		}
		if j.Matrix == a {
			c.rows += j.Own
		}
		if c.text != "" && c.text != text {
			t.Errorf("a rank says %q, another %q", text, c.text)
		}
		c.text, c.err, c.ghosts, c.start = text, err, ghosts[0], j.Domains.Start
	})
	c.given = slices.Concat(given...)
	return c
}

// Domains by the graph of meshes with random numbers have at most half of the ghosts of ranges of rows, all rows once, equal shares of rows and of
// nonzeros, and whole nodes, the same for any number of ranks and threads (Concurrent).
func TestConcurrentCutByGraph(t *testing.T) {
	numbers, most := []int{2, 5, 8, 32, 64}, 4 // of domains and ranks
	if testing.Short() {
		numbers, most = []int{5}, 2
	}
	for _, c := range []struct {
		kind string
		p    generate.Params
		node int
	}{
		{"transport3d", generate.Params{"n": 18}, 1}, // unsymmetric
		{"wathen", generate.Params{"nx": 40, "ny": 40}, 1},
		{"elasticity3d", generate.Params{"n": 16}, 3},
	} {
		if host.RaceDetector && c.node == 1 {
			continue
		}
		m := mesh(t, c.kind, c.p, c.node)
		for _, domains := range numbers {
			if m.Rows/domains < 64*c.node {
				continue
			}
			rows := cutOnRanks(t, t.Context(), m, 1, domains, c.node, 1, 1) // no room: the rows stay
			want := cutOnRanks(t, t.Context(), m, 1, domains, c.node, 0, 1)
			if want.err != nil || !strings.HasPrefix(want.text, "by the graph, ghosts ") {
				t.Errorf("%s in %d domains: %s, %v", c.kind, domains, want.text, want.err)
				continue
			}
			t.Logf("%s in %d domains: %s", c.kind, domains, want.text)
			if 2*want.ghosts > rows.ghosts {
				t.Errorf("%s in %d domains: %d ghosts, by rows %d", c.kind, domains, want.ghosts, rows.ghosts)
			}
			sorted := slices.Sorted(slices.Values(want.given))
			for i, row := range sorted {
				if int64(i) != row {
					t.Fatalf("%s in %d domains: row %d is missing or there twice", c.kind, domains, i)
				}
			}
			largest, nonzeros := int64(0), int64(0)
			for d := range domains {
				own := want.given[want.start[d]:want.start[d+1]]
				largest = max(largest, int64(len(own)))
				nnz := int64(0)
				for k, i := range own {
					nnz += m.RowPtr[i+1] - m.RowPtr[i]
					if first := own[k-k%c.node]; first%int64(c.node) != 0 || i != first+int64(k%c.node) {
						t.Fatalf("%s in %d domains: a node is apart", c.kind, domains)
					}
				}
				nonzeros = max(nonzeros, nnz)
			}
			if r, z := float64(largest*int64(domains))/float64(m.Rows), float64(nonzeros*int64(domains))/float64(m.NNZ()); r > 1.08 || z > 1.08 {
				t.Errorf("%s in %d domains: rows %.3f and nonzeros %.3f of the mean", c.kind, domains, r, z)
			}
			for ranks := 1; ranks <= most; ranks++ {
				got := cutOnRanks(t, t.Context(), m, ranks, domains, c.node, 0, ranks%3+1)
				if got.err != nil || got.text != want.text || !slices.Equal(got.start, want.start) || !slices.Equal(got.given, want.given) {
					t.Errorf("%s in %d domains: %d ranks have another cut: %s, %v", c.kind, domains, ranks, got.text, got.err)
				}
			}
		}
	}
}

// Rows stay where they have few ghosts, where the graph has no better domains, where nodes are not whole, and without memory for the graph.
func TestRowsThatStay(t *testing.T) {
	natural, err := generate.Generate("poisson3d", generate.Params{"n": 16})
	if err != nil {
		t.Fatal(err)
	}
	random, err := generate.Generate("powerlaw", generate.Params{"n": 3000})
	if err != nil {
		t.Fatal(err)
	}
	small := mesh(t, "poisson2d", generate.Params{"n": 6}, 1)
	for _, c := range []struct {
		what          string
		m             *csr.Matrix
		domains, node int
		room          int64
		text          string
	}{
		{"natural order", natural, 4, 1, 0, "by rows, ghosts 0.38 n"},
		{"random graph", random, 8, 1, 0, "; by the graph "},
		{"one row each", small, 36, 1, 0, "; by the graph "},
		{"cut nodes", mesh(t, "elasticity3d", generate.Params{"n": 6}, 3), 7, 7, 0, "by rows, ghosts "},
		{"no memory", mesh(t, "poisson3d", generate.Params{"n": 12}, 1), 4, 1, 1000, " more than the memory limit allows"},
	} {
		for ranks := 1; ranks <= 3; ranks += 2 {
			got := cutOnRanks(t, t.Context(), c.m, ranks, c.domains, c.node, c.room, 1)
			if got.err != nil || !strings.Contains(got.text, c.text) || !strings.HasPrefix(got.text, "by rows, ") || got.rows != c.m.Rows {
				t.Errorf("%s: %s, %v; %d rows stay", c.what, got.text, got.err, got.rows)
			}
		}
	}
}

// An interruption ends the cut on all ranks.
func TestInterruptedCut(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if got := cutOnRanks(t, done, mesh(t, "poisson3d", generate.Params{"n": 12}, 1), 3, 4, 1, 0, 1); got.err == nil || !strings.Contains(got.err.Error(), context.Canceled.Error()) {
		t.Errorf("%s, %v", got.text, got.err)
	}
}

// The heap grows by less than the memory that the cut is said to take.
func TestMemoryOfCut(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at the memory of a large graph")
	}
	m := mesh(t, "poisson3d", generate.Params{"n": 50}, 1)
	a, err := dist.Spread(dist.Self{}, m, 8)
	if err != nil {
		t.Fatal(err)
	}
	j := &Job{Matrix: a, Agreement: NewAgreement(t.Context(), dist.Self{})}
	said := j.graphOf(1).bytes()
	heap := func() uint64 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	runtime.GC()
	before, most := heap(), atomic.Uint64{}
	end := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-time.After(2 * time.Millisecond):
				runtime.GC()
				most.Store(max(most.Load(), heap()))
			}
		}
	})
	if _, err := j.CutByGraph(func() int { return 1 }, 0, 4); err != nil {
		t.Fatal(err)
	}
	close(end)
	all.Wait()
	grown := int64(most.Load() - before)
	t.Logf("the heap grows by %d bytes, %d are expected", grown, said)
	if grown > said {
		t.Errorf("the heap grows by %d bytes, %d are expected", grown, said)
	}
}
