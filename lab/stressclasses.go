package lab

import (
	"math/rand/v2"
)

// StressClass is a class of cases.
type StressClass struct {
	Name, About string
	Count       int // of the whole suite
	draw        func(r *rand.Rand) *System
	inject      func(r *rand.Rand, out *Outcome)
}

// systems lists the classes of systems without injected faults.
var systems = []StressClass{
	{Name: "tiny-contradictions", About: "two to four unknowns, such as x1 = 1, x1 = 2", Count: 200, draw: tinyContradiction},
	{Name: "no-x-rank", About: "whole numbers, rows that are combinations of others, contradicted", Count: 600, draw: inconsistent(rankDeficient)},
	{Name: "no-x-equal-rows", About: "rows that are there twice, contradicted", Count: 300, draw: inconsistent(equalRows)},
	{Name: "no-x-neumann", About: "Laplacians of grids and graphs, contradicted", Count: 600, draw: inconsistent(midNeumann)},
	{Name: "no-x-neumann-large", About: "the same with up to 12,000 nodes", Count: 40, draw: inconsistent(largeNeumann)},
	{Name: "no-x-ring", About: "convection around a ring, contradicted", Count: 200, draw: inconsistent(ring)},
	{Name: "no-x-flow", About: "columns that sum to zero, contradicted", Count: 300, draw: inconsistent(closedFlow)},
	{Name: "no-x-beam", About: "a beam that nothing holds, contradicted", Count: 200, draw: inconsistent(freeBeam)},
	{Name: "no-x-skew", About: "skew-symmetric of odd order, contradicted", Count: 200, draw: inconsistent(skew)},
	{Name: "no-x-redundant", About: "saddle points with dependent constraints, contradicted", Count: 300, draw: inconsistent(redundant)},
	{Name: "singular-rank", About: "rows that are combinations, b in the range", Count: 300, draw: consistent(rankDeficient)},
	{Name: "singular-neumann", About: "Laplacians, b in the range", Count: 300, draw: consistent(midNeumann)},
	{Name: "singular-others", About: "rings, flows, beams, skew, saddle points; b in the range", Count: 500, draw: anyConsistent},
	{Name: "nearly-singular", About: "singular but for an entry of 2^-8 to 2^-51 or roundings", Count: 800, draw: nearlySingular},
	{Name: "graded", About: "rows and columns graded over up to 300 decades", Count: 700, draw: gradedOver},
	{Name: "zero-rows", About: "a row or a column of zeros", Count: 300, draw: zeroRow},
	{Name: "random", About: "random sparse, diagonals strong to missing", Count: 1200, draw: randomSparse},
	{Name: "indefinite", About: "Laplacians shifted to or near eigenvalues", Count: 500, draw: indefinite},
	{Name: "extremes", About: "diagonals, permutations, triangles; b near the ends of the range", Count: 500, draw: extremes},
	{Name: "grcar", About: "Grcar's matrix", Count: 200, draw: grcar},
	{Name: "jordan", About: "bidiagonal, one eigenvalue", Count: 300, draw: jordan},
	{Name: "convection", About: "dominated by transport", Count: 400, draw: stressConvection},
	{Name: "classics", About: "Hilbert, Kahan, Wilkinson, Vandermonde, Frank", Count: 500, draw: classics},
	{Name: "saddle-points", About: "QP and KKT systems, spread over decades", Count: 600, draw: saddlePoint},
	{Name: "dense-row", About: "one row, column or both that touch everything", Count: 300, draw: denseRow},
	{Name: "different-sizes", About: "a row 1e-13 p = 1 beside Poisson or elasticity", Count: 500, draw: differentSizes},
	{Name: "weak-coupling", About: "blocks of two magnitudes, joined by rounding-size entries", Count: 300, draw: weakCoupling},
	{Name: "unimodular", About: "whole numbers, determinant 1, an inverse of up to twenty digits", Count: 400, draw: unimodular},
	{Name: "no-x-gains", About: "cycles of gains whose product is 1, contradicted", Count: 300, draw: inconsistent(gainCycle)},
	{Name: "near-gains", About: "the same but for one gain", Count: 300, draw: nearCycle},
	{Name: "no-x-graded", About: "contradictory rows that differ in size by up to 200 decades", Count: 400, draw: gradedContradiction},
	{Name: "patchwork", About: "systems of several kinds and sizes, joined in one direction", Count: 600, draw: patchwork},
	{Name: "no-x-large", About: "14 kinds of singular matrices of 20 to 100,000 rows, contradicted by a part in 10^8 or more", Count: 300, draw: largeContradictory},
	{Name: "singular-large", About: "the same with b in the range", Count: 300, draw: largeConsistent},
	{Name: "generated", About: "all kinds of mpsolve generate, small", Count: 400, draw: generated},
}

// injections lists the classes of injected faults.
var injections = []StressClass{
	{Name: "kernel-faults", About: "NaN, Inf, zero or a bit flip in what a kernel wrote, once or again and again", Count: 300, inject: kernelFaults},
	{Name: "preconditioner-faults", About: "the same in what a preconditioner gives", Count: 200, inject: preconditionerFaults},
	{Name: "stored-words", About: "bit flips in values of the stored matrix and of preconditioners", Count: 300, inject: storedWords},
	{Name: "memory-budgets", About: "Options.MaxMemory from nothing to enough, each reservation denied in turn", Count: 60, inject: memoryBudgets},
	{Name: "read-faults", About: "the N-th read of a matrix fails, for every N", Count: 60, inject: readFaults},
	{Name: "signals", About: "SIGINT, SIGTERM, SIGHUP at random moments of mpsolve solve", Count: 60, inject: signals},
	{Name: "address-space", About: "mpsolve solve under RLIMIT_AS, in steps", Count: 4, inject: addressSpace},
	{Name: "file-size", About: "mpsolve solve under RLIMIT_FSIZE, in steps, and with full devices", Count: 6, inject: fileSize},
	{Name: "full-disk", About: "x written to file systems of 4 to 64 kB", Count: 6, inject: fullDisk},
	{Name: "write-faults", About: "the N-th write of a matrix or vector fails, for every N", Count: 60, inject: writeFaults},
}

// StressClasses lists all classes.
func StressClasses() []StressClass { return append(systems[:len(systems):len(systems)], injections...) }

// tinyContradiction draws two to four unknowns and small whole numbers.
func tinyContradiction(r *rand.Rand) *System {
	for {
		n := between(r, 2, 4)
		b := newBuilder(n)
		i := r.IntN(n)
		j := (i + 1 + r.IntN(n-1)) % n
		for k := range n {
			for c := range n {
				b.add(k, c, float64(between(r, -2, 2)))
			}
		}
		b.row[j] = map[int]float64{}
		for c, v := range b.row[i] {
			b.row[j][c] = v
		}
		y := make([]float64, n)
		y[i], y[j] = 1, -1
		s := &System{A: b.matrix(), B: whole(r, n, 3), Contradiction: y, Natural: 3}
		if contradicts(s.A, s.B, y) && visible(s, y, 1e-4, false) {
			return s
		}
	}
}

func anyConsistent(r *rand.Rand) *System {
	return consistent(pick(r, []func(*rand.Rand) degenerate{equalRows, ring, closedFlow, freeBeam, skew, redundant}))(r)
}
