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

// gridLevels are measured: those of poisson3d with n = 100 in one domain and, for the entries from the fourth level on and the ratios of the last two, of
// 64 domains of 16^3 points that are gathered from 100 rows on. Bytes are those of n = 60.
var gridLevels = []gridLevel{
	{1, 6.9, 3.6, 2.3, 6.3, 1},
	{0.121, 30.6, 4.6, 4.8, 7.2, 1},
	{0.0064, 67, 4.1, 7.1, 7.7, 2},
	{0.00055, 88, 3.7, 7.1, 7.7, 4},
	{7.4e-5, 127, 3.7, 7.1, 7.7, 4},
	{1.14e-5, 152, 3.7, 7.1, 7.7, 4},
	{3.5e-6, 152, 3.7, 7.1, 7.7, 4},
}

const (
	gatheredRows     = 100_000 // of a level that every rank has
	gatheredRatio    = 11.6    // of rows of a level to those of the next one, where every rank has both
	coarsestRows     = 500
	agglomeratedRows = 10_000 // least of a rank, if levels were agglomerated
	coarseReach      = 2      // layers of ghosts of coarse levels
	narrowBytes      = 4      // of an element in a cycle
	cycleVectors     = 12     // elements of vectors that a visit of a level moves, for each row
	fsaiBytes        = 67     // of a row of the 7-point problem, of both products: 8 entries of 3.4 bytes, five vectors
	measureSums      = 3      // maxima of the measure of x, which is taken when the residual has fallen to a quarter
)

// A cycleModel is a cycle over ranks: levels that are spread, and those that every rank has.
type cycleModel struct{ spread, gathered []gridLevel }

// cycleOf returns the model for so many rows of the finest level, which is spread.
func cycleOf(all float64) (c cycleModel) {
	for k, l := range gridLevels {
		if k > 0 && l.share*all <= gatheredRows {
			for c.gathered = append(c.gathered, l); l.share*all > coarsestRows; c.gathered = append(c.gathered, l) {
				l.share /= gatheredRatio
				l.visits = gridLevels[min(len(c.spread)+len(c.gathered), len(gridLevels)-1)].visits
			}
			break
		}
		c.spread = append(c.spread, l)
	}
	return c
}

// exchanges returns how often a cycle exchanges the ghosts of level k: at each visit for the residual, its restriction and the step of
// smoothing after the correction; and on coarse levels once more, when the correction is prolonged to the finer level or, between two visits
// for one correction, for the residual (TestExchangesOfLevelsConcurrent of pkg/precond counts).
func (c cycleModel) exchanges(k int) float64 { return c.spread[k].visits * float64(3+min(k, 1)) }

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

// sends returns what a rank in the middle of so many sends in an iteration of CG with a preconditioner; which has so many rows and exchanges v.
func (s stencil) sends(kind precond.Kind, v volume, rows, ranks int) sent {
	product := exchanged{1, float64(v.messages), float64(wordBytes * v.elements)}
	out := sent{levels: []exchanged{product}, sums: reductions}
	if (dist.Domains{Start: []int64{0, int64(rows)}}).Joined() {
		out.sums = 1
	}
	switch kind {
	case precond.FSAI:
		out.levels[0].count = 3
	case precond.AMG:
		out.sums = reductions
		c := cycleOf(float64(rows * ranks))
		for k, l := range c.spread {
			e := exchanged{c.exchanges(k), product.messages, narrowBytes * float64(v.elements)}
			if k > 0 {
				messages, elements := ghosts(l.share * float64(rows))
				e.messages, e.bytes = messages, narrowBytes*elements
			}
			out.levels = append(out.levels, e)
		}
		out.sums += 1 + measureSums
		out.gathers = c.spread[len(c.spread)-1].visits
		out.gathered = out.gathers * narrowBytes * c.gathered[0].share * float64(rows*(ranks-1))
	}
	return out
}

// An iteration holds the parts of the time of an iteration of CG on a rank, in seconds.
type iteration struct {
	work, halo, reduce float64
	gather, repeated   float64 // levels that every rank has: their right-hand sides, and work on them beyond a rank's share
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
		c := cycleOf(rows * float64(ranks))
		for k, l := range c.spread {
			t.work += l.share * rows * l.bytes() / n.memory
			t.halo += out.levels[k+1].count * n.time(out.levels[k+1])
		}
		for _, l := range c.gathered {
			all := l.share * rows * float64(ranks) * l.bytes() / n.memory
			t.work += all / float64(ranks)
			t.repeated += all * (1 - 1/float64(ranks))
		}
		t.gather = out.gathers*(2*stages*n.latency+wordBytes*float64(ranks)/n.bandwidth) + out.gathered/n.bandwidth
	}
	return t
}

// time returns the time of one exchange.
func (n network) time(e exchanged) float64 { return e.messages*n.latency + e.bytes/n.bandwidth }

// agglomerated returns the iteration if levels with fewer than so many rows a rank were on as few ranks as have that many, the last one on a single rank, and
// none on all. Right-hand sides and corrections pass between ranks through binary trees.
func (n network) agglomerated(t iteration, rows float64, ranks int, least float64) iteration {
	c := cycleOf(rows * float64(ranks))
	t.halo, t.gather, t.repeated = 0, 0, 0
	before := float64(ranks)
	for k, l := range append(c.spread, c.gathered...) {
		all := l.share * rows * float64(ranks)
		on := min(before, max(1, math.Ceil(all/least)))
		of := all / on
		t.repeated += of * l.bytes() / n.memory * (1 - on/float64(ranks)) // others wait
		e := exchanged{0, 6, narrowBytes * 6 * math.Pow(of, 2.0/3)}
		if k > 0 {
			messages, elements := ghosts(of)
			e = exchanged{0, min(messages, on-1), narrowBytes * elements}
		}
		if on > 1 {
			t.halo += l.visits * float64(3+min(k, 1)) * n.time(exchanged{0, e.messages, e.bytes})
		}
		if on < before {
			t.gather += 2 * l.visits * (math.Ceil(math.Log2(before/on))*n.latency + narrowBytes*of/n.bandwidth)
		}
		before = on
	}
	return t
}
