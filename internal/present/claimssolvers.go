package present

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/records"
)

// solverPairs are solves in uniform FP32 and others that differ in the storage
// only.
func solverPairs(list []records.Record, criterion, epsilon string) []pair {
	return pairs(list, "solve",
		labels{"formats": "FP32", "criterion": "none", "epsilon": "2^-24"},
		labels{"formats": "AP7", "criterion": criterion, "epsilon": epsilon}, "converged")
}

// convergence counts the outcomes of pairs, and collects the ratios of iterations
// where both converged.
func convergence(p []pair) (both, neither, onlyA, onlyB int, iterations []float64) {
	for _, q := range p {
		a, b := q.a.Values["converged"] == 1, q.b.Values["converged"] == 1
		switch {
		case a && b:
			both++
			iterations = append(iterations, q.ratio("iterations"))
		case a:
			onlyA++
		case b:
			onlyB++
		default:
			neither++
		}
	}
	return both, neither, onlyA, onlyB, iterations
}

func outcomes(p []pair) string {
	both, neither, onlyA, onlyB, iterations := convergence(p)
	s := spreadOf(iterations)
	return fmt.Sprintf("both converge in %d of %d solves, neither in %d, only uniform in %d, only adaptive in %d; iterations adaptive / uniform %.2f to %.2f, median %.2f",
		both, len(p), neither, onlyA, onlyB, s.least, s.max, s.median)
}

func cwConverges(list []records.Record, _ []string) (Verdict, string) {
	p := solverPairs(list, "cw", "2^-24")
	if len(p) == 0 {
		return NotMeasured, ""
	}
	const like = 1.25 // iterations
	held, n := 0, 0
	for _, q := range p {
		a, b := q.a.Values["converged"] == 1, q.b.Values["converged"] == 1
		if !a && !b {
			continue // says nothing
		}
		n++
		if b && (!a || q.ratio("iterations") <= like) {
			held++
		}
	}
	return inAll(held, n), fmt.Sprintf("%s; %d of %d that converge at all are like uniform (at most %.2f times the iterations)", outcomes(p), held, n, like)
}

func nwVaries(list []records.Record, _ []string) (Verdict, string) {
	var p []pair
	for _, epsilon := range []string{"2^-24", "2^-20", "2^-16"} {
		p = append(p, solverPairs(list, "nw", epsilon)...)
	}
	if len(p) == 0 {
		return NotMeasured, ""
	}
	_, _, lost, won, iterations := convergence(p)
	s := spreadOf(iterations)
	seen := 0
	for _, b := range []bool{s.least < 0.9 || won > 0, s.max > 1.1, lost > 0} {
		if b {
			seen++
		}
	}
	return inAll(seen, 3), outcomes(p)
}

func coarserTarget(list []records.Record, _ []string) (Verdict, string) {
	coarse := pairs(list, "solve",
		labels{"formats": "AP7", "epsilon": "2^-24"}, labels{"formats": "AP7", "epsilon": "2^-16"}, "converged")
	if len(coarse) == 0 {
		return NotMeasured, ""
	}
	cheaper, more, converged := 0, 0, 0
	for _, q := range coarse {
		if q.ratio("storage") < 1 {
			cheaper++
		}
		if q.a.Values["converged"] != 1 {
			continue
		}
		converged++
		if q.b.Values["converged"] != 1 || q.ratio("iterations") >= 1 {
			more++
		}
	}
	return inAll(cheaper+more, len(coarse)+converged), fmt.Sprintf(
		"2^-16 instead of 2^-24 stores less in %d of %d cases, and takes as many iterations or more, or does not converge, in %d of %d that converge at 2^-24",
		cheaper, len(coarse), more, converged)
}

func solvesFaster(list []records.Record, _ []string) (Verdict, string) {
	type best struct{ uniform, papers, ours float64 }
	cases := map[string]*best{}
	for _, r := range of(list, "solve", nil, "seconds") {
		if r.Quick || r.Values["converged"] != 1 {
			continue
		}
		key := r.Label("matrix") + " " + r.Label("solver")
		if cases[key] == nil {
			cases[key] = &best{}
		}
		c := cases[key]
		at := &c.papers
		switch r.Label("formats") {
		case "FP32":
			at = &c.uniform
		case "AFX":
			at = &c.ours
		case "AP7":
		default:
			continue
		}
		if s := r.Values["seconds"]; *at == 0 || s < *at {
			*at = s
		}
	}
	var papers, ours []float64
	faster := 0
	for _, c := range cases {
		if c.uniform == 0 {
			continue
		}
		if c.papers > 0 {
			papers = append(papers, c.papers/c.uniform)
			if c.papers < c.uniform {
				faster++
			}
		}
		if c.ours > 0 {
			ours = append(ours, c.ours/c.uniform)
		}
	}
	p, o := spreadOf(papers), spreadOf(ours)
	if p.n == 0 {
		return NotMeasured, "needs a full run"
	}
	return inAll(faster, p.n), fmt.Sprintf("best of AP7 / uniform FP32: %.2f to %.2f, median %.2f, faster in %d of %d; best of AFX %.2f to %.2f, median %.2f (%d)",
		p.least, p.max, p.median, faster, p.n, o.least, o.max, o.median, o.n)
}
