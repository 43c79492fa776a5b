package present

import (
	"fmt"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

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
func accessorPairs(list []records.Record, kernel, data string) []pair {
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
func accessorError(list []records.Record, c Claim, args []string) Finding {
	data := ""
	if len(args) > 1 {
		data = args[1]
	}
	s := spreadOf(ratios(accessorPairs(list, args[0], data), "error"))
	return s.finding(c.Threshold, fmt.Sprintf("error relative to FP32, %d problems: %.2f to %.2f", s.n, s.least, s.most))
}

// accessorTime judges the time of a kernel relative to FP32, beyond the cache. If the second of args is "GPU", the
// statement is about GPUs.
func accessorTime(list []records.Record, c Claim, args []string) Finding {
	p := accessorPairs(beyondCache(list), args[0], "")
	s := spreadOf(ratios(p, "seconds"))
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := s.finding(c.Threshold, fmt.Sprintf("time relative to FP32, %d problems: %.2f to %.2f", s.n, s.least, s.most))
	f.Size = leastSize(both(p))
	if len(args) > 1 && args[1] == "GPU" {
		f.Verdict = NotHere
		f.Data += "; a statement about GPUs, which hide conversions behind other threads"
	}
	return f
}

func rooflineFollows(list []records.Record, c Claim, _ []string) Finding {
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
