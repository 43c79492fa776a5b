package records

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// cutShort is the max_iter of solves that only time iterations, see thesis-table-3.4.yaml.
const cutShort = "80"

// whole removes solves that were cut short.
func whole(list []Record) []Record {
	return slices.DeleteFunc(slices.Clone(list), func(r Record) bool { return r.Label("max_iter") == cutShort })
}

// fewCycles are the cycles below which the iterations of restarted GMRES, which are whole cycles, say little.
const fewCycles = 10

// comparable reports whether the ratio of the iterations of two solves means something: not where both converge
// within fewCycles.
func (p pair) comparable() bool {
	cycle, err := strconv.Atoi(strings.TrimPrefix(p.a.Label("solver"), "gmres"))
	return err != nil || p.a.Values["converged"] != 1 || p.b.Values["converged"] != 1 ||
		max(p.a.Values["iterations"], p.b.Values["iterations"]) >= float64(fewCycles*cycle)
}

// compared removes the pairs whose iterations do not compare.
func compared(p []pair) []pair {
	return slices.DeleteFunc(p, func(q pair) bool { return !q.comparable() })
}

// solverPairs returns pairs of solves, in uniform FP32 and in others that differ in the storage only: the papers'
// sets, or one of them.
func solverPairs(list []Record, criterion, epsilon string) (p []pair) {
	for _, set := range []string{"AP2", "AP7"} {
		p = append(p, pairs(whole(list), "solve",
			labels{"formats": "FP32", "criterion": "none", "epsilon": "2^-24"},
			labels{"formats": set, "criterion": criterion, "epsilon": epsilon}, "converged")...)
	}
	return p
}

// convergence is the outcome of pairs of solves, and the ratios of iterations where both
// converged.
type convergence struct {
	n, both, neither, onlyA, onlyB int
	iterations                     spread
}

func convergenceOf(p []pair) convergence {
	c := convergence{n: len(p)}
	var iterations []float64
	for _, q := range p {
		a, b := q.a.Values["converged"] == 1, q.b.Values["converged"] == 1
		switch {
		case a && b:
			c.both++
			iterations = append(iterations, q.ratio("iterations"))
		case a:
			c.onlyA++
		case b:
			c.onlyB++
		default:
			c.neither++
		}
	}
	c.iterations = spreadOf(iterations)
	return c
}

// finding describes the outcome.
func (c convergence) finding(verdict Verdict) Finding {
	s, measured := c.iterations, "none where both converge"
	if s.n > 0 {
		measured = fmt.Sprintf("%.2f of the iterations in the median, %.2f to %.2f", s.median, s.least, s.most)
	}
	return Finding{
		Verdict: verdict, Measured: measured, Spread: s.quartiles("%.2f"),
		Data: fmt.Sprintf("both converge in %d of %d solves, neither in %d, only uniform in %d, only adaptive in %d",
			c.both, c.n, c.neither, c.onlyA, c.onlyB),
	}
}

func cwConverges(list []Record, claim Claim, _ []string) Finding {
	p := compared(solverPairs(list, "cw", "2^-24"))
	held, n := 0, 0
	for _, q := range p {
		a, b := q.a.Values["converged"] == 1, q.b.Values["converged"] == 1
		if !a && !b {
			continue // says nothing
		}
		n++
		if b && (!a || q.ratio("iterations") <= claim.Threshold) {
			held++
		}
	}
	if n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	f := convergenceOf(p).finding(inAll(held, n))
	f.Data += fmt.Sprintf("; %d of %d that converge at all are like uniform", held, n)
	return f
}

// normwisePairs returns pairs of solves, in uniform FP32 and with the normwise criterion.
func normwisePairs(list []Record) (p []pair) {
	for _, epsilon := range []string{"2^-24", "2^-20", "2^-16"} {
		p = append(p, solverPairs(list, "nw", epsilon)...)
	}
	return p
}

func nwVaries(list []Record, claim Claim, _ []string) Finding {
	c := convergenceOf(compared(normwisePairs(list)))
	if c.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return c.finding(inAll(count(c.iterations.most >= claim.Threshold, c.onlyA > 0), 2))
}

func nwFast(list []Record, claim Claim, _ []string) Finding {
	p := slices.DeleteFunc(compared(normwisePairs(list)), func(q pair) bool { return !strings.HasPrefix(q.a.Label("solver"), "gmres") })
	if len(p) == 0 {
		return Finding{Verdict: NotMeasured}
	}
	fast := map[string]bool{} // matrices
	for _, q := range p {
		if q.b.Values["converged"] == 1 && (q.a.Values["converged"] != 1 || q.ratio("iterations") <= 1/claim.Threshold) {
			fast[starred(q.a)] = true
		}
	}
	f := convergenceOf(p).finding(inAll(count(len(fast) > 0), 1))
	f.Data += fmt.Sprintf("; so much faster on %d matrices", len(fast))
	return f
}

// nwStopsBicgstab judges how often BiCGStab converges with uniform FP32 but with the normwise criterion at no target,
// and whether that is more often than for GMRES.
func nwStopsBicgstab(list []Record, claim Claim, _ []string) Finding {
	stopped := func(solver string) (n, all int) {
		converges := map[string]bool{} // at some target, by matrix, method and set
		for _, q := range normwisePairs(list) {
			if q.a.Values["converged"] == 1 && strings.HasPrefix(q.a.Label("solver"), solver) {
				key := strings.Join([]string{starred(q.a), q.a.Label("solver"), q.b.Label("formats"), q.a.Label("scaling"), q.a.Label("arithmetic")}, " ")
				converges[key] = converges[key] || q.b.Values["converged"] == 1
			}
		}
		for _, some := range converges {
			n += count(!some)
		}
		return n, len(converges)
	}
	n, all := stopped("bicgstab")
	m, others := stopped("gmres")
	if all == 0 || others == 0 {
		return Finding{Verdict: NotMeasured}
	}
	share := float64(n) / float64(all)
	return Finding{
		Verdict: inAll(count(share >= claim.Threshold, share > float64(m)/float64(others)), 2), Measured: fmt.Sprintf("%d of %d", n, all),
		Data: fmt.Sprintf("solves that converge with uniform FP32 and with the normwise criterion at no target; GMRES: %d of %d", m, others),
	}
}

// productShares judges the shares of products in the times of solves in uniform FP32, beyond the cache: the first of
// the methods args spends more than the threshold on them, and each more than the next.
func productShares(list []Record, claim Claim, args []string) Finding {
	var timed []Record
	var words []string
	held, before := 0, 0.0
	for k, solver := range args {
		var shares []float64
		for _, r := range of(beyondCache(list), "solve", labels{"solver": solver, "formats": "FP32"}, "spmv_seconds") {
			shares, timed = append(shares, r.Values["spmv_seconds"]/r.Values["seconds"]), append(timed, r)
		}
		s := spreadOf(shares)
		if s.n == 0 {
			return Finding{Verdict: NotMeasured, Data: needsFull}
		}
		held += count(k == 0 && s.median > claim.Threshold || k > 0 && s.median < before)
		before = s.median
		words = append(words, fmt.Sprintf("%s %.2f (%d)", solver, s.median, s.n))
	}
	return Finding{Verdict: inAll(held, len(args)), Measured: strings.Join(words, ", "), Size: leastSize(timed), Data: "medians, and the numbers of solves"}
}

func coarserTarget(list []Record, _ Claim, _ []string) Finding {
	var coarse []pair
	for _, set := range []string{"AP2", "AP7"} {
		coarse = append(coarse, pairs(whole(list), "solve",
			labels{"formats": set, "epsilon": "2^-24"}, labels{"formats": set, "epsilon": "2^-16"}, "converged")...)
	}
	cheaper, more, converged := 0, 0, 0
	for _, q := range coarse {
		if q.ratio("storage") < 1 {
			cheaper++
		}
		if q.a.Values["converged"] != 1 || !q.comparable() {
			continue
		}
		converged++
		if q.b.Values["converged"] != 1 || q.ratio("iterations") >= 1 {
			more++
		}
	}
	if len(coarse) == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict:  inAll(cheaper+more, len(coarse)+converged),
		Measured: fmt.Sprintf("2^-16 instead of 2^-24 stores less in %d of %d cases", cheaper, len(coarse)),
		Data:     fmt.Sprintf("it takes as many iterations or more, or does not converge, in %d of %d that converge at 2^-24", more, converged),
	}
}

// bestBetween counts the cases in which the middle of three targets has the least cost, storage times iterations; the
// cost of a solve that does not converge is infinite.
func bestBetween(list []Record, claim Claim, args []string) Finding {
	type costs = map[string]float64 // by target
	long := map[string]bool{}       // cases in which some solve takes so many cycles that iterations compare
	cases := map[string]costs{}
	for _, r := range of(whole(list), "solve", nil, "iterations") {
		if !ofPapers(r) || r.Values["converged"] != 1 {
			continue
		}
		key := fmt.Sprint(starred(r), r.Label("solver"), r.Label("formats"), r.Label("criterion"), r.Label("arithmetic"), r.Label("max_iter"))
		if cases[key] == nil {
			cases[key] = costs{}
		}
		cases[key][r.Label("epsilon")] = r.Values["storage"] * r.Values["iterations"]
		long[key] = long[key] || pair{r, r}.comparable()
	}
	won := map[string]int{}
	n := 0
	for key, c := range cases {
		best := ""
		for _, epsilon := range args {
			if x, ok := c[epsilon]; ok && (best == "" || x < c[best]) {
				best = epsilon
			}
		}
		if len(c) > 1 && long[key] {
			n++
			won[best]++
		}
	}
	if n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	share := float64(won[args[1]]) / float64(n)
	return Finding{
		Verdict:  inAll(count(share >= claim.Threshold, share > 0), 2),
		Measured: fmt.Sprintf("%s is best in %d of %d cases", args[1], won[args[1]], n),
		Data:     fmt.Sprintf("storage × iterations is least at %s in %d, at %s in %d", args[0], won[args[0]], args[2], won[args[2]]),
	}
}

// iterationTime compares the time of an iteration with adaptive storage, for the best target, with uniform FP32,
// where the stored forms are beyond the cache.
func iterationTime(list []Record, claim Claim, args []string) Finding {
	best := map[string]map[string]Record{} // by matrix and solver, and set
	for _, r := range of(beyondCache(list), "solve", nil, "iteration_seconds") {
		key := starred(r) + " " + r.Label("solver")
		if best[key] == nil {
			best[key] = map[string]Record{}
		}
		set := r.Label("formats")
		if b, ok := best[key][set]; !ok || r.Values["iteration_seconds"] < b.Values["iteration_seconds"] {
			best[key][set] = r
		}
	}
	against := map[string][]float64{} // by set
	var timed []Record
	for _, key := range slices.Sorted(maps.Keys(best)) {
		uniform, ok := best[key]["FP32"]
		for set, r := range best[key] {
			if ok && set != "FP32" {
				against[set] = append(against[set], r.Values["iteration_seconds"]/uniform.Values["iteration_seconds"])
				timed = append(timed, r)
			}
		}
	}
	s := spreadOf(against[args[0]])
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	data := fmt.Sprintf("%s / uniform FP32 of %d matrices and methods: %.2f to %.2f", args[0], s.n, s.least, s.most)
	for _, set := range args[1:] {
		data += spreadOf(against[set]).beside(set)
	}
	f := s.finding(claim.Threshold, data)
	f.Size = leastSize(timed)
	return f
}
