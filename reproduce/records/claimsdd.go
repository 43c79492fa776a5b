package records

import (
	"fmt"
	"strings"
)

// ddKinds are the kinds of products with double-double vectors.
var ddKinds = []string{"dd-product", "dd-band"}

// timesOf returns the times relative to double, beyond the cache, of records of these kinds.
func timesOf(list []Record, want labels, kinds ...string) (timed []Record, s spread) {
	var times []float64
	for _, kind := range kinds {
		for _, r := range of(beyondCache(list), kind, want, "time_double") {
			timed, times = append(timed, r), append(times, r.Values["time_double"])
		}
	}
	return timed, spreadOf(times)
}

// ddProductTime judges the time of products with double-double vectors relative to double, for a matrix or its
// transpose.
func ddProductTime(list []Record, c Claim, args []string) Finding {
	timed, s := timesOf(list, labels{"transposed": args[0], "elements": "double"}, ddKinds...)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := s.finding(c.Threshold, fmt.Sprintf("%d matrices and layouts: %.2f to %.2f times", s.n, s.least, s.most))
	f.Size = leastSize(timed)
	return f
}

// ddLayoutTime judges the time in layout args[1] relative to args[0].
func ddLayoutTime(list []Record, c Claim, args []string) Finding {
	var p []pair
	for _, kind := range ddKinds {
		p = append(p, pairs(beyondCache(list), kind, labels{"layout": args[0]}, labels{"layout": args[1]}, "seconds")...)
	}
	s := spreadOf(ratios(p, "seconds"))
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	held := 0
	for _, q := range p {
		held += count(q.ratio("seconds") < c.Threshold)
	}
	return Finding{
		Verdict: inAll(held, s.n), Measured: fmt.Sprintf("%.2f times in the median", s.median), Spread: s.quartiles("%.2f"), Size: leastSize(both(p)),
		Data: fmt.Sprintf("%d of %d products are faster: %.2f to %.2f times", held, s.n, s.least, s.most),
	}
}

// atLeast judges whether the first quartile, or the median, of the numbers is at least a limit.
func (s spread) atLeast(limit float64) Verdict {
	switch {
	case s.first >= limit:
		return Holds
	case s.median >= limit:
		return Partly
	}
	return Fails
}

// ddTimes judges the time of an iteration with vectors args[1] relative to args[0].
func ddTimes(list []Record, c Claim, args []string) Finding {
	p := pairs(beyondCache(list), "dd-bicg", labels{"vectors": args[0]}, labels{"vectors": args[1]}, "iteration_double")
	s := spreadOf(ratios(p, "iteration_double"))
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := Finding{
		Verdict: Fails, Measured: fmt.Sprintf("%.2f times in the median", s.median), Spread: s.quartiles("%.2f"), Size: leastSize(both(p)),
		Data: fmt.Sprintf("%d matrices: %.2f to %.2f times", s.n, s.least, s.most),
	}
	if s.median >= c.Threshold {
		f.Verdict = Holds
	}
	return f
}

// ddVectorTime judges the time of operations on double-double vectors relative to double.
func ddVectorTime(list []Record, c Claim, _ []string) Finding {
	timed, s := timesOf(list, nil, "dd-vectors")
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	return Finding{
		Verdict: s.atLeast(c.Threshold), Measured: fmt.Sprintf("%.2f times in the median", s.median), Spread: s.quartiles("%.2f"), Size: leastSize(timed),
		Data: fmt.Sprintf("%d operations and sizes: %.2f to %.2f times", s.n, s.least, s.most),
	}
}

// ddOutcomes compares complete solves with double-double vectors and with others: both, only one, or none converge.
func ddOutcomes(list []Record, others ...string) (p []pair, c convergence) {
	const cutShort = "100" // see ddavx-100-iterations.yaml
	for _, vectors := range others {
		for _, q := range pairs(list, "dd-bicg", labels{"vectors": "dd"}, labels{"vectors": vectors}, "converged") {
			if q.a.Label("max_iter") != cutShort {
				p = append(p, q)
			}
		}
	}
	return p, convergenceOf(p)
}

// ddPartsMatter judges the gain of double-double in some of the vectors.
func ddPartsMatter(list []Record, claim Claim, _ []string) Finding {
	_, c := ddOutcomes(list, "p", "p*", "p,p*")
	if c.both+c.onlyA+c.onlyB == 0 {
		return Finding{Verdict: NotMeasured}
	}
	f := Finding{
		Verdict: Fails, Measured: ddMeasured(c), Spread: c.iterations.quartiles("%.2f"),
		Data: fmt.Sprintf("of %d choices of parts and matrices %d converge as double-double does, %d do not where it does, %d do where it does not", c.n, c.both, c.onlyA, c.onlyB),
	}
	switch {
	case c.iterations.n == 0 || c.iterations.least >= claim.Threshold:
		f.Verdict = Holds
	case c.onlyA > c.onlyB:
		f.Verdict = Partly
	}
	return f
}

func ddMeasured(c convergence) string {
	if c.iterations.n == 0 {
		return "none where both converge"
	}
	return fmt.Sprintf("%.2f of the iterations of double-double in the median", c.iterations.median)
}

// ddRobust judges whether double-double vectors converge wherever others do, and where double does not.
func ddRobust(list []Record, claim Claim, _ []string) Finding {
	_, c := ddOutcomes(list, "double", "p", "p*", "p,p*", "dq:1e-1", "dq:1e-2")
	_, double := ddOutcomes(list, "double")
	if c.both+c.onlyA+c.onlyB == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict:  inAll(count(c.onlyB == 0, float64(double.onlyA) >= claim.Threshold), 2),
		Measured: fmt.Sprintf("%d where double does not", double.onlyA),
		Data:     fmt.Sprintf("of %d choices of vectors and matrices %d converge as double-double does, %d do not where it does, %d do where it does not", c.n, c.both, c.onlyA, c.onlyB),
	}
}

// ddSwitches judges whether the solves that switch converge as those with double-double vectors do.
func ddSwitches(list []Record, claim Claim, args []string) Finding {
	_, c := ddOutcomes(list, args...)
	if c.both+c.onlyA == 0 {
		return Finding{Verdict: NotMeasured}
	}
	f := Finding{
		Verdict: inAll(c.both, c.both+c.onlyA), Measured: ddMeasured(c), Spread: c.iterations.quartiles("%.2f"),
		Data: fmt.Sprintf("converges in %d of %d cases where double-double does", c.both, c.both+c.onlyA),
	}
	if f.Verdict == Holds && c.iterations.below(claim.Threshold) != Holds {
		f.Verdict = Partly
	}
	return f
}

// mpGrowth judges the factor of the times of an implementation between two numbers of bits, with elements of 53 bits,
// whose products are hardly ever rounded, and of all bits; args are its name and the two numbers.
func mpGrowth(list []Record, c Claim, args []string) Finding {
	held := 0
	var words []string
	for _, width := range []string{"53", "all"} {
		form := of(list, "mp", labels{"operation": "gemv", "implementation": args[0], "significand": width}, "term_ns")
		s := spreadOf(ratios(pairs(form, "mp", labels{"bits": args[1]}, labels{"bits": args[2]}, "term_ns"), "term_ns"))
		if s.n == 0 {
			return Finding{Verdict: NotMeasured, Data: "needs elements of 53 bits and of all, at both ends"}
		}
		held += count(s.median <= c.Threshold)
		words = append(words, fmt.Sprintf("%.1f times with elements of %s bits", s.median, width))
	}
	return Finding{
		Verdict: inAll(held, len(words)), Measured: strings.Join(words, ", "),
		Data: fmt.Sprintf("time of a term with %s bits over that with %s", args[2], args[1]),
	}
}

// mpRatio judges the times with one word of a label over the times with another; args are the label, both words, and
// the implementation, unless the implementations differ.
func mpRatio(list []Record, c Claim, args []string) Finding {
	where := labels{}
	if len(args) > 3 {
		where["implementation"] = args[3]
	}
	p := pairs(of(list, "mp", where, "term_ns"), "mp", labels{args[0]: args[1]}, labels{args[0]: args[2]}, "term_ns")
	s := spreadOf(ratios(p, "term_ns"))
	return s.finding(c.Threshold, fmt.Sprintf("time of %s over %s, %d products: %.2f to %.2f", args[2], args[1], s.n, s.least, s.most))
}

// mpSums judges the share of sums in the time of the steps; args are the bits of the precision and of the elements.
func mpSums(list []Record, c Claim, args []string) Finding {
	var shares []float64
	for _, r := range of(list, "mpres-steps", labels{"step": "sums", "bits": args[0], "significand": args[1]}, "step_share") {
		shares = append(shares, r.Values["step_share"])
	}
	s := spreadOf(shares)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict: inAll(count(s.median >= c.Threshold), 1), Measured: percent(s.median),
		Data: fmt.Sprintf("share of the time of all steps, %d measured", s.n),
	}
}
