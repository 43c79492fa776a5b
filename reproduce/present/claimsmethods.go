package present

import (
	"fmt"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// ginkgoMethods are the methods of [Cojean20] that the library has as well.
var ginkgoMethods = []string{"cg", "bicg", "cgs", "bicgstab", "idr", "gmres"}

// methodRecords returns the iterations beyond the cache that have that value.
func methodRecords(list []records.Record, value string) (kept []records.Record) {
	for _, method := range ginkgoMethods {
		kept = append(kept, of(beyondCache(list), "iterations", labels{"method": method}, value)...)
	}
	return kept
}

// methodsNearBound judges the median of the shares of the bound.
func methodsNearBound(list []records.Record, c Claim, _ []string) Finding {
	var shares []float64
	timed := methodRecords(list, "of_bound")
	for _, r := range timed {
		shares = append(shares, r.Values["of_bound"])
	}
	s := spreadOf(shares)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := Finding{
		Verdict: Fails, Measured: percent(s.median) + " in the median", Spread: s.quartiles("%.2f"), Size: leastSize(timed),
		Data: fmt.Sprintf("%d methods and matrices: %.2f to %.2f", s.n, s.least, s.most),
	}
	switch {
	case s.median >= c.Threshold:
		f.Verdict = Holds
	case s.most >= c.Threshold:
		f.Verdict = Partly
	}
	return f
}

// methodsAlike judges how much the GFLOP/s of the methods differ.
func methodsAlike(list []records.Record, c Claim, _ []string) Finding {
	var gflops []float64
	timed := methodRecords(list, "gflops")
	for _, r := range timed {
		gflops = append(gflops, r.Values["gflops"])
	}
	s := spreadOf(gflops)
	if s.n < 2 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := Finding{
		Verdict: Fails, Measured: fmt.Sprintf("%.2f", s.most/s.least), Spread: s.quartiles("%.2f") + " GFLOP/s", Size: leastSize(timed),
		Data: fmt.Sprintf("%d methods and matrices: %.2f to %.2f GFLOP/s, median %.2f", s.n, s.least, s.most, s.median),
	}
	if s.most/s.least <= c.Threshold {
		f.Verdict = Holds
	}
	return f
}
