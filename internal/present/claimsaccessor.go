package present

import (
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/records"
)

// The precisions of the accessor experiments, as labels.
const (
	fp32  = "FP32"
	mixed = "FP64 over FP32"
)

// accessorClaims are those of [Gruetzmacher23].
func accessorClaims() []Claim {
	const paper = "Gruetzmacher23"
	return []Claim{
		{
			ID: "accessor-gemv", Paper: paper, Source: "section 4.1, figures 7 and 8",
			Statement: "GEMV with FP32 storage and FP64 arithmetic is more accurate than in FP32, as fast as in FP32.",
			check:     func(list []records.Record) (Verdict, string) { return accurateAndFast(list, "GEMV") },
		},
		{
			ID: "accessor-dot", Paper: paper, Source: "section 4.2, figures 9 and 10",
			Statement: "The inner product with FP32 storage and FP64 arithmetic is more accurate than in FP32, and hardly slower.",
			check:     func(list []records.Record) (Verdict, string) { return accurateAndFast(list, "DOT") },
		},
		{
			ID: "accessor-trsv", Paper: paper, Source: "section 4.3, figures 11 and 12",
			Statement: "The triangular solve is more accurate than in FP32 by about a factor of 10, somewhat slower than in FP32.",
			Cause:     "errors here hold the rounding of the matrix to FP32, which no arithmetic undoes; the paper does not say whether its matrices were rounded first",
			check: func(list []records.Record) (Verdict, string) {
				error, seconds := accessorRatios(list, "TRSV")
				if error.n == 0 {
					return NotMeasured, ""
				}
				return inAll(count(error.median < 0.2, seconds.median >= 1), 2), accessorText(error, seconds)
			},
		},
		{
			ID: "accessor-ell", Paper: paper, Source: "section 4.4, figures 13 and 14",
			Statement: "The ELL product with FP32 storage and FP64 arithmetic is as fast as in FP32 but for 3 %.",
			Cause:     "numbers are gathered and converted eight at a time, which few threads do not hide behind waiting for memory",
			check: func(list []records.Record) (Verdict, string) {
				error, seconds := accessorRatios(list, "ELL")
				if seconds.n == 0 {
					return NotMeasured, ""
				}
				return inAll(count(seconds.median <= 1.03), 1), accessorText(error, seconds)
			},
		},
		{
			ID: "roofline", Paper: paper, Source: "section 3, figure 5",
			Statement: "Where memory is the limit, FP64 arithmetic over FP32 storage performs as FP32 does; where arithmetic is, as FP64 does.",
			check:     rooflineFollows,
		},
	}
}

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
func accessorRatios(list []records.Record, kernel string) (error, seconds spread) {
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

func accessorText(error, seconds spread) string {
	return fmt.Sprintf("relative to FP32: error %.2f to %.2f, median %.2f (%d problems); time %.2f to %.2f, median %.2f (the %d largest)",
		error.least, error.max, error.median, error.n, seconds.least, seconds.max, seconds.median, seconds.n)
}

func accurateAndFast(list []records.Record, kernel string) (Verdict, string) {
	error, seconds := accessorRatios(list, kernel)
	if error.n == 0 {
		return NotMeasured, ""
	}
	return inAll(count(error.median < 1, seconds.median < 1.1), 2), accessorText(error, seconds)
}

func rooflineFollows(list []records.Record) (Verdict, string) {
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
