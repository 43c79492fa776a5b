package present

import (
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/records"
)

const needsFull = "needs a full run; the matrices of a quick run fit into the cache"

// beyondCache leaves out matrices that may fit into a last-level cache.
func beyondCache(list []records.Record) []records.Record {
	const nonzeros = 15_000_000
	return slices.DeleteFunc(slices.Clone(list), func(r records.Record) bool { return r.Matrix == nil || r.Matrix.NNZ < nonzeros })
}

func timeFollowsStorage(list []records.Record, _ []string) (Verdict, string) {
	var papers, ours []float64
	held := 0
	for _, r := range of(beyondCache(list), "product", labels{"arithmetic": "fp64"}, "time") {
		if !adaptiveSet(r) {
			continue
		}
		x := r.Values["time"] / r.Values["storage"]
		if r.Label("formats") == "AFX" {
			ours = append(ours, x)
			continue
		}
		papers = append(papers, x)
		if x < 1.25 {
			held++
		}
	}
	p, o := spreadOf(papers), spreadOf(ours)
	if p.n == 0 {
		return NotMeasured, needsFull
	}
	return inAll(held, p.n), fmt.Sprintf("time / storage, both relative to uniform FP64: papers' sets %.2f to %.2f, median %.2f (%d of %d below 1.25); AFX %.2f to %.2f, median %.2f",
		p.least, p.max, p.median, held, p.n, o.least, o.max, o.median)
}

func fasterThanUniform(list []records.Record, _ []string) (Verdict, string) {
	faster, n := 0, 0
	var ap2, afx []float64
	for _, c := range []struct{ epsilon, value string }{{"2^-53", "time"}, {"2^-24", "time_fp32"}} {
		for _, r := range of(beyondCache(list), "product", labels{"epsilon": c.epsilon, "arithmetic": "fp64", "drop": "yes"}, c.value) {
			switch r.Label("formats") {
			case "AP2":
				n++
				ap2 = append(ap2, r.Values[c.value])
				if r.Values[c.value] < 1 {
					faster++
				}
			case "AFX":
				afx = append(afx, r.Values[c.value])
			}
		}
	}
	s, o := spreadOf(ap2), spreadOf(afx)
	if n == 0 {
		return NotMeasured, needsFull
	}
	return inAll(faster, n), fmt.Sprintf("AP2 takes %.2f to %.2f of the time, median %.2f, and less than 1 in %d of %d cases (up to %.1f times as fast); AFX %.2f to %.2f, median %.2f",
		s.least, s.max, s.median, faster, n, 1/s.least, o.least, o.max, o.median)
}

func scalesAlike(list []records.Record, _ []string) (Verdict, string) {
	var data string
	least, largest := 2.0, 0.0
	for _, set := range []string{"FP64", "AP2", "AFX"} {
		var last records.Record
		for _, r := range of(beyondCache(list), "scaling", labels{"formats": set}, "efficiency") {
			if last.Labels == nil || target("2^-"+r.Label("threads")) < target("2^-"+last.Label("threads")) {
				last = r // of the most threads
			}
		}
		if last.Labels == nil {
			return NotMeasured, needsFull
		}
		e := last.Values["efficiency"]
		data += fmt.Sprintf("%s %s on %s threads, ", set, percent(e), last.Label("threads"))
		if set != "AFX" {
			least, largest = min(least, e), max(largest, e)
		}
	}
	verdict := Holds
	if largest-least > 0.15 {
		verdict = Partly
	}
	return verdict, "parallel efficiency: " + data[:len(data)-2]
}
