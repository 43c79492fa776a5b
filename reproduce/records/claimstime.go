package records

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

const needsFull = "needs matrices whose stored forms take four times the last-level cache"

// inCaches returns the bytes that a measurement read, in last-level caches of its machine; NaN if the cache is
// unknown.
func inCaches(r Record) float64 {
	llc := float64(r.Environment.LLCBytes)
	if llc == 0 {
		return math.NaN()
	}
	return r.Values["bytes"] / llc
}

// beyondCache removes what fits into four last-level caches of its machine.
func beyondCache(list []Record) []Record {
	return slices.DeleteFunc(slices.Clone(list), func(r Record) bool { return !(inCaches(r) >= Caches) })
}

// leastSize formats the size of the smallest form of the measurements.
func leastSize(list []Record) string {
	least := math.Inf(1)
	for _, r := range list {
		least = math.Min(least, inCaches(r))
	}
	if math.IsInf(least, 1) {
		return ""
	}
	return fmt.Sprintf("%.1f LLC", least)
}

// timeGain judges the share of the time that set args[1] saves over set args[0]. Since noise could pass for a
// gain in the best of many matrices, the gain of a matrix is taken from its quartiles: the third of one set against
// the first of the other.
func timeGain(list []Record, c Claim, args []string) Finding {
	p := pairs(beyondCache(list), "product", labels{"formats": args[0], "arithmetic": "fp64", "drop": "yes"},
		labels{"formats": args[1], "arithmetic": "fp64", "drop": "yes"}, "time")
	if len(p) == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	sure := func(q pair) float64 {
		return q.b.Values["time"+ThirdQuartile] / q.a.Values["time"+FirstQuartile]
	}
	best := slices.MinFunc(p, func(a, b pair) int { return int(math.Copysign(1, sure(a)-sure(b))) })
	s := spreadOf(ratios(p, "time"))
	return Finding{
		Verdict: c.upTo(1-sure(best), 1-s.median), Size: leastSize(both(p)),
		Measured: fmt.Sprintf("%s in the median, %s at most (%s at %s)", percent(1-s.median), percent(1-sure(best)), starred(best.b), best.b.Label("epsilon")),
		Spread:   s.quartiles("%.2f"),
		Data:     fmt.Sprintf("ratio of times for %d matrices and targets: %.2f to %.2f", s.n, s.least, s.most),
	}
}

// both returns all records of the pairs.
func both(p []pair) (list []Record) {
	for _, q := range p {
		list = append(list, q.a, q.b)
	}
	return list
}

func timeFollowsStorage(list []Record, c Claim, _ []string) Finding {
	var papers, ours []float64
	var timed []Record
	for _, r := range of(beyondCache(list), "product", labels{"arithmetic": "fp64"}, "time") {
		x := r.Values["time"] / r.Values["storage"]
		switch {
		case ofPapers(r):
			papers, timed = append(papers, x), append(timed, r)
		case adaptiveSet(r):
			ours = append(ours, x)
		}
	}
	p, o := spreadOf(papers), spreadOf(ours)
	if p.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := p.finding(c.Threshold, fmt.Sprintf("time / storage, both relative to uniform FP64, %d products with the papers' sets", p.n)+o.beside("AFX"))
	f.Size = leastSize(timed)
	return f
}

// fasterThanUniform judges AP2 against uniform precision of the same accuracy.
func fasterThanUniform(list []Record, c Claim, _ []string) Finding {
	var ap2, afx []float64
	var timed []Record
	largest := 0.0
	for _, x := range []struct{ epsilon, value string }{{"2^-53", "time"}, {"2^-24", "time_fp32"}} {
		for _, r := range of(beyondCache(list), "product", labels{"epsilon": x.epsilon, "arithmetic": "fp64", "drop": "yes"}, x.value) {
			switch v := r.Values[x.value]; r.Label("formats") {
			case "AP2":
				ap2, timed = append(ap2, v), append(timed, r)
				largest = max(largest, 1/r.Values[x.value+ThirdQuartile])
			case "AFX":
				afx = append(afx, v)
			}
		}
	}
	s, o := spreadOf(ap2), spreadOf(afx)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	return Finding{
		Verdict: s.below(c.Threshold), Measured: fmt.Sprintf("%.2f of the time in the median, up to %.1f times as fast", s.median, largest),
		Spread: s.quartiles("%.2f"), Size: leastSize(timed),
		Data: fmt.Sprintf("AP2 / uniform of %d products: %.2f to %.2f", s.n, s.least, s.most) + o.beside("AFX"),
	}
}

// timeBetween judges whether the time of set args[0] at the target args[2] is between those at args[1] and args[3].
func timeBetween(list []Record, c Claim, args []string) Finding {
	list = beyondCache(list)
	at := func(epsilon string) labels {
		return labels{"formats": args[0], "epsilon": epsilon, "arithmetic": "fp64", "drop": "yes"}
	}
	coarse := map[string]pair{} // by the record at args[2]
	for _, p := range pairs(list, "product", at(args[2]), at(args[3]), "time") {
		coarse[p.a.Key()] = p
	}
	var all []float64
	var timed []Record
	for _, fine := range pairs(list, "product", at(args[1]), at(args[2]), "time") {
		if p, ok := coarse[fine.b.Key()]; ok {
			all, timed = append(all, max(fine.ratio("time"), p.ratio("time"))), append(timed, fine.a, p.a, p.b)
		}
	}
	s := spreadOf(all)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := s.finding(c.Threshold, fmt.Sprintf("the larger ratio, %d products: %.2f to %.2f", s.n, s.least, s.most))
	f.Size = leastSize(timed)
	return f
}

// scalesAlike compares the parallel efficiency of sets on the largest number of threads measured, if that is at least
// about the number of cores of the thesis' socket (args[0]).
func scalesAlike(list []Record, c Claim, args []string) Finding {
	var data string
	var timed []Record
	threads, least, largest := 0, 2.0, 0.0
	for _, set := range []string{"FP64", "AP2", "AFX"} {
		most := 0
		var last Record
		for _, r := range of(beyondCache(list), "scaling", labels{"formats": set}, "efficiency") {
			if n, _ := strconv.Atoi(r.Label("threads")); n > most {
				most, last = n, r
			}
		}
		if most == 0 && set == "AFX" { // the claim is not about it
			continue
		}
		if most == 0 {
			return Finding{Verdict: NotMeasured, Data: needsFull}
		}
		threads = most
		e := last.Values["efficiency"]
		data += fmt.Sprintf("%s %s, ", set, percent(e))
		if set != "AFX" {
			least, largest = min(least, e), max(largest, e)
			timed = append(timed, last)
		}
	}
	f := Finding{
		Verdict: Holds, Measured: fmt.Sprintf("%.2f apart on %d threads", largest-least, threads), Size: leastSize(timed),
		Data: "parallel efficiency: " + data[:len(data)-2],
	}
	switch enough := number(args[0]); {
	case float64(threads) < enough:
		f.Verdict = NotHere
		f.Data += fmt.Sprintf("; a statement about the cores of a socket, at least %g threads", enough)
	case largest-least > c.Threshold:
		f.Verdict = Partly
	}
	return f
}

// similarStorage judges by how much the storage of two sets differs.
func similarStorage(list []Record, c Claim, args []string) Finding {
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
func slightlyMoreTime(list []Record, c Claim, args []string) Finding {
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
func lessStorage(list []Record, c Claim, args []string) Finding {
	p := pairs(list, "product", labels{"formats": args[0]}, labels{"formats": args[1]}, "storage")
	s := spreadOf(ratios(p, "storage"))
	return s.finding(c.Threshold, fmt.Sprintf("ratio of storage for %d matrices and targets: %.2f to %.2f; the least: %s", s.n, s.least, s.most, where(p, "storage")))
}

// rangeMatters counts the cases in which a format stores elements with a scale but none with its own range. args are
// the format and the set.
func rangeMatters(list []Record, c Claim, args []string) Finding {
	const some = 0.01
	share := Share + args[0]
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
