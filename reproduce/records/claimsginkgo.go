package records

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// streamDot judges the bandwidth of dot relative to the best of the other kernels with the same arrays.
func streamDot(list []Record, c Claim, _ []string) Finding {
	var shares []float64
	var timed []Record
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
	return f
}

// ofLayouts returns products beyond the cache by layout.
func ofLayouts(list []Record) (all []Record) {
	return of(beyondCache(list), "layouts", nil, "time_best")
}

// bandwidthShare judges the largest share of the bandwidth bound.
func bandwidthShare(list []Record, c Claim, _ []string) Finding {
	all := ofLayouts(list)
	if len(all) == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	var shares []float64
	for _, r := range all {
		shares = append(shares, r.Values["bandwidth_share"])
	}
	s := spreadOf(shares)
	return Finding{
		Verdict: inAll(count(s.most >= c.Threshold), 1), Measured: percent(s.most), Spread: s.quartiles("%.2f"), Size: leastSize(all),
		Data: fmt.Sprintf("%d products, median %s", s.n, percent(s.median)),
	}
}

// noWinner judges whether each layout is somewhere slower than the fastest one, by more than the threshold.
func noWinner(list []Record, c Claim, _ []string) Finding {
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
	return f
}

// byBytes judges whether the ratio of the times of COO and CSR equals the ratio of their bytes, by the factor between
// the two ratios, at least one.
func byBytes(list []Record, c Claim, _ []string) Finding {
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

// ginkgoMethods are the methods of [Cojean20] that the library has as well.
var ginkgoMethods = []string{"cg", "bicg", "cgs", "bicgstab", "idr", "gmres"}

// methodRecords returns the iterations beyond the cache that have that value.
func methodRecords(list []Record, value string) (kept []Record) {
	for _, method := range ginkgoMethods {
		kept = append(kept, of(beyondCache(list), "iterations", labels{"method": method}, value)...)
	}
	return kept
}

// methodsNearBound judges the median of the shares of the bound.
func methodsNearBound(list []Record, c Claim, _ []string) Finding {
	var shares []float64
	timed := methodRecords(list, "of_bound")
	for _, r := range timed {
		shares = append(shares, r.Values["of_bound"])
	}
	s := spreadOf(shares)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	return Finding{
		Verdict:  inAll(count(s.median >= c.Threshold, s.most >= c.Threshold), 2),
		Measured: percent(s.median) + " in the median", Spread: s.quartiles("%.2f"), Size: leastSize(timed),
		Data: fmt.Sprintf("%d methods and matrices: %.2f to %.2f", s.n, s.least, s.most),
	}
}

// methodsAlike judges how much the GFLOP/s of the methods differ.
func methodsAlike(list []Record, c Claim, _ []string) Finding {
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

// The precisions of the accessor experiments, as labels.
const (
	fp32  = "FP32"
	mixed = "FP64 over FP32"
)

// count returns how many of the conditions are true.
func count(what ...bool) (n int) {
	for _, w := range what {
		if w {
			n++
		}
	}
	return n
}

// accessorPairs returns the problems of a kernel in FP32 and in FP64 over FP32, with the given data, "" for any.
func accessorPairs(list []Record, kernel, data string) []pair {
	kind := "accessor"
	if kernel == "ELL" {
		kind = "ell"
	}
	a, b := labels{"kernel": kernel, "precision": fp32}, labels{"kernel": kernel, "precision": mixed}
	if data != "" {
		a["data"], b["data"] = data, data
	}
	return pairs(list, kind, a, b, "error")
}

// accessorError judges the error of a kernel relative to FP32; args are the kernel and, if they matter, the data.
func accessorError(list []Record, c Claim, args []string) Finding {
	data := ""
	if len(args) > 1 {
		data = args[1]
	}
	s := spreadOf(ratios(accessorPairs(list, args[0], data), "error"))
	return s.finding(c.Threshold, fmt.Sprintf("error relative to FP32, %d problems: %.2f to %.2f", s.n, s.least, s.most))
}

// accessorTime judges the time of a kernel relative to FP32, beyond the cache.
func accessorTime(list []Record, c Claim, args []string) Finding {
	p := accessorPairs(beyondCache(list), args[0], "")
	s := spreadOf(ratios(p, "seconds"))
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := s.finding(c.Threshold, fmt.Sprintf("time relative to FP32, %d problems: %.2f to %.2f", s.n, s.least, s.most))
	f.Size = leastSize(both(p))
	return f
}

func rooflineFollows(list []Record, c Claim, _ []string) Finding {
	at := func(config, intensity string) float64 {
		for _, r := range of(list, "roofline", labels{"formats": config, "intensity": intensity}, "gflops") {
			return r.Values["gflops"]
		}
		return 0
	}
	const low, high = "2", "256"
	const over = "FP64-over-FP32"
	memory, arithmetic := at(over, low)/at(fp32, low), at(over, high)/at("FP64", high)
	if !(memory > 0) || !(arithmetic > 0) {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict:  inAll(count(memory > c.Threshold, arithmetic > c.Threshold), 2),
		Measured: fmt.Sprintf("%.2f of FP32 and %.2f of FP64", memory, arithmetic),
		Data:     "FP64 over FP32 at 2 FLOP a value, and at 256",
	}
}
