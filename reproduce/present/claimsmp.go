package present

import (
	"fmt"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// mpGrowth judges the factor of the times of an implementation between two numbers of bits; args are its name and the
// two numbers.
func mpGrowth(list []records.Record, c Claim, args []string) Finding {
	form := labels{"operation": "gemv", "implementation": args[0]}
	s := spreadOf(ratios(pairs(of(list, "mp", form, "term_ns"), "mp", labels{"bits": args[1]}, labels{"bits": args[2]}, "term_ns"), "term_ns"))
	if s.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict: inAll(count(s.median <= c.Threshold), 1), Measured: fmt.Sprintf("%.1f times", s.median),
		Data: fmt.Sprintf("time of a term with %s bits over that with %s, %d measured", args[2], args[1], s.n),
	}
}

// mpRatio judges the times with one word of a label over the times with another; args are the label, both words, and
// the implementation, unless the implementations differ.
func mpRatio(list []records.Record, c Claim, args []string) Finding {
	where := labels{}
	if len(args) > 3 {
		where["implementation"] = args[3]
	}
	p := pairs(of(list, "mp", where, "term_ns"), "mp", labels{args[0]: args[1]}, labels{args[0]: args[2]}, "term_ns")
	s := spreadOf(ratios(p, "term_ns"))
	return s.finding(c.Threshold, fmt.Sprintf("time of %s over %s, %d products: %.2f to %.2f", args[2], args[1], s.n, s.least, s.most))
}

// mpSums judges the share of sums in the time of the steps; args are the bits of the precision and of the elements.
func mpSums(list []records.Record, c Claim, args []string) Finding {
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
