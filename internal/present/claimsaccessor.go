package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/records"
)

// The precisions of the accessor experiments, as labels.
const (
	fp32  = "FP32"
	mixed = "FP64 over FP32"
)

// count of what is true.
func count(what ...bool) (n int) {
	for _, w := range what {
		if w {
			n++
		}
	}
	return n
}

// beyondCaches is more than the caches of a processor hold, in bytes.
const beyondCaches = 250e6

// traffic is how many bytes a measured operation read and wrote.
func traffic(r records.Record) float64 { return r.Values["gbps"] * 1e9 * r.Values["seconds"] }

// accessorRatios are errors and times of FP64 over FP32 relative to FP32: times
// where memory is the limit, if there are any.
func accessorRatios(list []records.Record, kernel string) (errs, seconds spread) {
	kind := "accessor"
	if kernel == "ELL" {
		kind = "ell"
	}
	p := pairs(list, kind, labels{"kernel": kernel, "precision": fp32}, labels{"kernel": kernel, "precision": mixed}, "error")
	large := slices.DeleteFunc(slices.Clone(p), func(q pair) bool { return traffic(q.b) < beyondCaches })
	if len(large) == 0 {
		large = p
	}
	return spreadOf(ratios(p, "error")), spreadOf(ratios(large, "seconds"))
}

// accessorKernel judges a kernel, which is the first of args, by the medians of errors
// and times; the other args are conditions such as "time < 1.1".
func accessorKernel(list []records.Record, args []string) (Verdict, string) {
	errs, seconds := accessorRatios(list, args[0])
	if errs.n == 0 {
		return NotMeasured, ""
	}
	held := 0
	for _, condition := range args[1:] {
		words := strings.Fields(condition)
		x, limit := map[string]float64{"error": errs.median, "time": seconds.median}[words[0]], number(words[2])
		if map[string]bool{"<": x < limit, "<=": x <= limit, ">=": x >= limit}[words[1]] {
			held++
		}
	}
	return inAll(held, len(args)-1), fmt.Sprintf("relative to FP32: error %.2f to %.2f, median %.2f (%d problems); time %.2f to %.2f, median %.2f (the %d largest)",
		errs.least, errs.max, errs.median, errs.n, seconds.least, seconds.max, seconds.median, seconds.n)
}

func rooflineFollows(list []records.Record, _ []string) (Verdict, string) {
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
		return NotMeasured, ""
	}
	return inAll(count(memory > 0.9, arithmetic > 0.9), 2), fmt.Sprintf(
		"FP64 over FP32 reaches %.2f of FP32 at 2 FLOP a value and %.2f of FP64 at 256", memory, arithmetic)
}
