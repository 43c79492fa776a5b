package main

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// sent is what a rank sends in an iteration of CG.
type sent struct {
	levels                  []exchanged // vectors of CG, then those of a cycle from the finest level on
	sums, gathers, gathered float64     // gathered: bytes of others, in all gathers
}

// exchanged are exchanges of the ghosts of a vector; messages and bytes are those of one.
type exchanged struct{ count, messages, bytes float64 }

// total returns the messages and bytes of all exchanges.
func (s sent) total() (messages, bytes float64) {
	for _, l := range s.levels {
		messages += l.count * l.messages
		bytes += l.count * l.bytes
	}
	return messages, bytes
}

// A gridLevel is a level of multigrid for the 7-point problem.
type gridLevel struct {
	share       float64 // rows for each row of the finest level
	entries     float64 // of a row of the matrix
	interpolate float64 // entries of a row of the prolongator
	entryBytes  float64 // as stored
	moveBytes   float64 // of an entry of the prolongator or the restriction, as stored
	visits      float64 // in a cycle
}

// gridLevels are measured: those of poisson3d with n = 100 in one domain and, for the entries from the fourth level on, of
// 64 domains of 16^3 points that are gathered from 100 rows on. Bytes are those of n = 60.
var gridLevels = []gridLevel{
	{1, 6.9, 3.6, 2.3, 6.3, 1},
	{0.121, 30.6, 4.6, 4.8, 7.2, 1},
	{0.0064, 67, 4.1, 7.1, 7.7, 2},
	{0.00055, 88, 3.7, 7.1, 7.7, 4},
	{0.00055 / coarseRatio, 127, 3.7, 7.1, 7.7, 4},
	{0.00055 / coarseRatio / coarseRatio, 152, 3.7, 7.1, 7.7, 4},
}

const (
	gatheredRows = 10_000 // of a coarse level that every rank has
	joinedRows   = 5_000  // of a domain, on average, for which others are joined
	coarseRatio  = 11.6   // of rows of a level to those of the next one, from the fourth level on
	coarsestRows = 500
	coarseReach  = 2  // layers of ghosts of coarse levels
	narrowBytes  = 4  // of an element in a cycle
	cycleVectors = 12 // elements of vectors that a visit of a level moves, for each row
	fsaiBytes    = 67 // of a row of the 7-point problem, of both products: 8 entries of 3.4 bytes, five vectors
	measureSums  = 3  // maxima of the measure of x, which is taken when the residual has fallen to a quarter
)

// A cycleModel is a cycle over ranks: levels that are spread, and those that every rank has.
type cycleModel struct {
	spread   []spreadLevel
	gathered []gridLevel
}

// A spreadLevel is a level on some ranks; before are those of the finer level.
type spreadLevel struct {
	gridLevel
	before, ranks float64
	all           float64 // rows
	entered       float64 // visits of the finer level in a cycle
}

// rows are those of a rank of this level.
func (l spreadLevel) rows() float64 { return l.all / l.ranks }

// cycleOf returns the model for so many rows of the finest level, which is spread over all ranks.
func cycleOf(rows, ranks float64) (c cycleModel) {
	before, entered := ranks, 0.0
	for k := 0; ; k++ {
		l := gridLevels[min(k, len(gridLevels)-1)]
		for range k - len(gridLevels) + 1 {
			l.share /= coarseRatio
		}
		all := l.share * rows
		if k > 0 && all <= gatheredRows {
			if c.gathered = append(c.gathered, l); all <= coarsestRows {
				return c
			}
			continue
		}
		on := before
		if n := max(1, math.Floor(all/joinedRows)); k > 0 && 2*n <= before {
			on = n
		}
		c.spread = append(c.spread, spreadLevel{l, before, on, all, entered})
		before, entered = on, l.visits
	}
}

// joined reports whether the level is on fewer ranks than the finer one.
func (l spreadLevel) joined() bool { return l.ranks < l.before }

// exchanges returns the exchanges of ghosts of a coarse level in a cycle (TestExchangesOfLevelsConcurrent of pkg/precond counts): at each visit for
// the residual, its restriction and the step of smoothing after the correction; between two visits for one correction for the residual; and for each
// visit of the finer level for the correction of that, where domains are joined only by its ranks, of what prolongators of neighbours refer to.
func (l spreadLevel) exchanges() (corrections, others exchanged) {
	messages, elements := ghosts(l.rows())
	others = exchanged{4 * l.visits, min(messages, l.ranks-1), narrowBytes * min(elements, l.all-l.rows())}
	if l.joined() {
		corrections = exchanged{l.entered, 6, narrowBytes * 6 * math.Pow(l.all/l.before, 2.0/3)}
		others.count -= l.entered
	}
	return corrections, others
}

// passes are the right-hand sides that a rank of the finer level sends to the one that has its rows on this level, and the corrections that this one
// sends back to several.
func (l spreadLevel) passes() (down, up exchanged) {
	if !l.joined() {
		return down, up
	}
	others := math.Ceil(l.before/l.ranks) - 1
	rows := l.all / l.before
	return exchanged{l.entered, 1, narrowBytes * rows}, exchanged{l.entered, others, narrowBytes * others * rows}
}

// bytes returns what a cycle moves between memory and processor for each row of a level: its matrix twice, the transfers once, and vectors.
func (l gridLevel) bytes() float64 {
	return l.visits * (2*l.entries*l.entryBytes + 2*l.interpolate*l.moveBytes + cycleVectors*narrowBytes)
}

// ghosts returns the volume of a brick of so many rows of a coarse level.
func ghosts(rows float64) (messages, elements float64) {
	a := math.Cbrt(rows)
	wide := a + 2*coarseReach
	around := 2*math.Ceil(coarseReach/a) + 1
	return around*around*around - 1, wide*wide*wide - rows
}

// sends returns the most that one of so many ranks sends in an iteration of CG with a preconditioner; which has so many rows and exchanges v.
func (s stencil) sends(kind precond.Kind, v volume, rows, ranks int) sent {
	product := exchanged{1, float64(v.messages), float64(wordBytes * v.elements)}
	out := sent{levels: []exchanged{product}, sums: reductions}
	if (dist.Domains{Start: []int64{0, int64(rows)}}).JoinsSums() {
		out.sums = 1
	}
	switch kind {
	case precond.FSAI:
		out.levels[0].count = 3
	case precond.AMG:
		out.sums = reductions
		c := cycleOf(float64(rows*ranks), float64(ranks))
		var passes []exchanged
		for k, l := range c.spread {
			if k == 0 {
				out.levels = append(out.levels, exchanged{3, product.messages, narrowBytes * float64(v.elements)})
				continue
			}
			corrections, others := l.exchanges()
			if l.joined() {
				down, up := l.passes()
				out.levels, passes = append(out.levels, corrections), append(passes, down, up)
			}
			out.levels = append(out.levels, others)
		}
		out.levels = append(out.levels, passes...)
		out.sums += 1 + measureSums
		last := c.spread[len(c.spread)-1]
		out.gathers = last.visits
		out.gathered = out.gathers * narrowBytes * c.gathered[0].share * float64(rows) * (float64(ranks) - 1/last.ranks)
	}
	return out
}

// An iteration holds the parts of the time of an iteration of CG on a rank, in seconds.
type iteration struct {
	work, halo, reduce float64
	gather             float64 // between ranks with few rows of a level and those with more, or all
	repeated           float64 // work on levels on fewer ranks, or on all, beyond a rank's share
}

// efficiency returns the share of the time that a rank works for itself.
func (t iteration) efficiency() float64 {
	return t.work / (t.work + t.halo + t.reduce + t.gather + t.repeated)
}

// cg returns the model of an iteration of CG with so many rows on each rank. The exchange of ghosts of FP64 vectors overlaps with the rows that refer to no
// ghosts, that of a cycle with nothing. A sum takes a message up and down a binary tree; a gather, of lengths and then of elements, log2(ranks) steps.
func (n network) cg(s stencil, kind precond.Kind, v volume, rows float64, ranks int) (t iteration) {
	out := s.sends(kind, v, int(rows), ranks)
	product := rows * float64(s.rowEntries()*entryBytes)
	t.work = (product + rows*cgVectors*wordBytes) / n.memory
	interior := max(0, 1-float64(v.elements)/rows) / n.memory
	t.halo = max(0, n.time(out.levels[0])-interior*product)
	stages := math.Ceil(math.Log2(float64(ranks)))
	t.reduce = out.sums * 2 * stages * (n.latency + reduceBytes/n.bandwidth)
	switch kind {
	case precond.FSAI:
		t.work += rows * fsaiBytes / n.memory
		t.halo += 2 * max(0, n.time(out.levels[0])-interior*rows*fsaiBytes/2)
	case precond.AMG:
		c := cycleOf(rows*float64(ranks), float64(ranks))
		share := func(l gridLevel) float64 { return l.share * rows * l.bytes() / n.memory }
		for k, l := range c.spread {
			t.work += share(l.gridLevel)
			t.repeated += share(l.gridLevel) * (float64(ranks)/l.ranks - 1)
			if k == 0 {
				t.halo += out.levels[1].count * n.time(out.levels[1])
				continue
			}
			corrections, others := l.exchanges()
			_, up := l.passes()
			t.halo += corrections.count*n.time(corrections) + others.count*n.time(others)
			t.gather += 2 * up.count * n.time(up) // as many come before
		}
		for _, l := range c.gathered {
			t.work += share(l)
			t.repeated += share(l) * float64(ranks-1)
		}
		t.gather += out.gathers*(2*stages*n.latency+wordBytes*float64(ranks)/n.bandwidth) + out.gathered/n.bandwidth
	}
	return t
}

// time returns the time of one exchange.
func (n network) time(e exchanged) float64 { return e.messages*n.latency + e.bytes/n.bandwidth }
