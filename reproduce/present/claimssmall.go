package present

import (
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// similarStorage judges by how much the storage of two sets differs.
func similarStorage(list []records.Record, c Claim, args []string) Finding {
	p := ratios(pairs(list, "product", labels{"formats": args[0]}, labels{"formats": args[1]}, "storage"), "storage")
	apart := make([]float64, len(p))
	for k, x := range p {
		apart[k] = math.Abs(x - 1)
	}
	s := spreadOf(p)
	f := spreadOf(apart).finding(c.Threshold, fmt.Sprintf("ratio of storage for %d matrices and targets: %.2f to %.2f", s.n, s.least, s.most))
	if s.n > 0 {
		f.Measured, f.Spread = fmt.Sprintf("%.2f times in the median", s.median), s.quartiles("%.2f")
	}
	return f
}

// slightlyMoreTime judges the median of the ratio of the times of two sets.
func slightlyMoreTime(list []records.Record, c Claim, args []string) Finding {
	p := pairs(beyondCache(list), "product", labels{"formats": args[0]}, labels{"formats": args[1]}, "time")
	if len(p) == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	s := spreadOf(ratios(p, "time"))
	f := Finding{
		Verdict: Holds, Measured: fmt.Sprintf("%.2f times in the median", s.median), Spread: s.quartiles("%.2f"), Size: leastSize(both(p)),
		Data: fmt.Sprintf("ratio of times for %d matrices and targets: %.2f to %.2f", s.n, s.least, s.most),
	}
	switch {
	case s.median > c.Threshold:
		f.Verdict = Fails
	case s.median < 1:
		f.Verdict = Partly
	}
	return f
}

// lessStorage judges the storage of the second set relative to the first.
func lessStorage(list []records.Record, c Claim, args []string) Finding {
	p := pairs(list, "product", labels{"formats": args[0]}, labels{"formats": args[1]}, "storage")
	s := spreadOf(ratios(p, "storage"))
	return s.finding(c.Threshold, fmt.Sprintf("ratio of storage for %d matrices and targets: %.2f to %.2f; the least: %s", s.n, s.least, s.most, where(p, "storage")))
}

// rangeMatters counts the cases in which a format stores elements with a scale but none with its own range. args are
// the format and the set.
func rangeMatters(list []records.Record, c Claim, args []string) Finding {
	const some = 0.01
	share := records.Share + args[0]
	cases, useless := 0, 0
	var left []float64
	// A record has no share of a format that holds nothing.
	for _, p := range pairs(list, "product", labels{"formats": args[1], "rounding": "own"}, labels{"formats": args[1], "rounding": "paper"}, "storage") {
		if p.a.Values[share] < some {
			continue
		}
		cases++
		left = append(left, p.b.Values[share]/p.a.Values[share])
		if p.b.Values[share] < some {
			useless++
		}
	}
	if cases == 0 {
		return Finding{Verdict: NotMeasured}
	}
	s := spreadOf(left)
	f := Finding{
		Verdict: Fails, Measured: fmt.Sprintf("useless in %d of %d cases", useless, cases), Spread: s.quartiles("%.2f"),
		Data: fmt.Sprintf("share of the nonzeros in %s with its own range / with a scale: %.2f to %.2f, median %.2f", args[0], s.least, s.most, s.median),
	}
	switch part := float64(useless) / float64(cases); {
	case part >= c.Threshold:
		f.Verdict = Holds
	case useless > 0:
		f.Verdict = Partly
	}
	return f
}
