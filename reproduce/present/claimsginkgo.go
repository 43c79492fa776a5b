package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// aboutGPUs is the reason why measurements of a processor decide nothing.
const aboutGPUs = "a statement about GPUs, of which only ratios and orderings compare"

// notHere removes the verdict of a finding, unless nothing was measured.
func notHere(f Finding) Finding {
	if f.Verdict != NotMeasured {
		f.Verdict = NotHere
		f.Data += "; " + aboutGPUs
	}
	return f
}

// streamDot judges the bandwidth of dot relative to the best of the other kernels with the same arrays.
func streamDot(list []records.Record, c Claim, _ []string) Finding {
	var shares []float64
	var timed []records.Record
	for _, dot := range of(beyondCache(list), "stream", labels{"kernel": "dot"}, "gbps") {
		most := 0.0
		for _, r := range of(list, "stream", labels{"n": dot.Label("n"), "threads": dot.Label("threads")}, "gbps") {
			if r.Label("kernel") != "dot" {
				most = math.Max(most, r.Values["gbps"])
			}
		}
		if most > 0 {
			shares, timed = append(shares, dot.Values["gbps"]/most), append(timed, dot)
		}
	}
	s := spreadOf(shares)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: "needs arrays beyond four times the last-level cache"}
	}
	f := s.finding(c.Threshold, fmt.Sprintf("GB/s of dot relative to the best other kernel, %d sizes: %.2f to %.2f; a write counts once, dot has none", s.n, s.least, s.most))
	f.Size = leastSize(timed)
	return notHere(f)
}

// ofLayouts returns products beyond the cache by layout.
func ofLayouts(list []records.Record) (all []records.Record) {
	return of(beyondCache(list), "layouts", nil, "time_best")
}

// bandwidthShare judges the largest share of the bandwidth bound.
func bandwidthShare(list []records.Record, c Claim, _ []string) Finding {
	all := ofLayouts(list)
	if len(all) == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	var shares []float64
	for _, r := range all {
		shares = append(shares, r.Values["bandwidth_share"])
	}
	s, verdict := spreadOf(shares), Fails
	if s.most >= c.Threshold {
		verdict = Holds
	}
	return notHere(Finding{
		Verdict: verdict, Measured: percent(s.most), Spread: s.quartiles("%.2f"), Size: leastSize(all),
		Data: fmt.Sprintf("%d products, median %s", s.n, percent(s.median)),
	})
}

// noWinner judges whether each layout is somewhere slower than the fastest one, by more than the threshold.
func noWinner(list []records.Record, c Claim, _ []string) Finding {
	all := ofLayouts(list)
	if len(all) == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	var within []string
	winner := ""
	for _, layout := range []string{"csr", "coo", "ell", "hybrid"} {
		of := of(all, "layouts", labels{"layout": layout}, "time_best")
		if len(of) == 0 {
			continue
		}
		near := len(of)
		for _, r := range of {
			if r.Values["time_best"] > c.Threshold {
				near--
			}
		}
		within = append(within, fmt.Sprintf("%s %d of %d", layout, near, len(of)))
		if near == len(of) && winner == "" {
			winner = layout
		}
	}
	f := Finding{Verdict: Holds, Measured: "no winner", Size: leastSize(all), Data: fmt.Sprintf("within %g of the fastest: ", c.Threshold) + strings.Join(within, ", ")}
	if winner != "" {
		f.Verdict, f.Measured = Fails, winner+" wins"
	}
	return notHere(f)
}

// byBytes judges whether the ratio of the times of COO and CSR equals the ratio of their bytes, by the factor between
// the two ratios, at least one.
func byBytes(list []records.Record, c Claim, _ []string) Finding {
	p := pairs(ofLayouts(list), "layouts", labels{"layout": "csr"}, labels{"layout": "coo"}, "seconds")
	times, bytes := ratios(p, "seconds"), ratios(p, "bytes")
	factors := slices.Clone(times)
	for k := range factors {
		factors[k] = math.Max(times[k]/bytes[k], bytes[k]/times[k])
	}
	s, t := spreadOf(factors), spreadOf(times)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := s.finding(c.Threshold, fmt.Sprintf("time in COO / in CSR of %d matrices: %.2f to %.2f, median %.2f; bytes: median %.2f", s.n, t.least, t.most, t.median, spreadOf(bytes).median))
	f.Measured = fmt.Sprintf("%.2f in the median", t.median)
	f.Spread, f.Size = t.quartiles("%.2f"), leastSize(both(p))
	return f
}
