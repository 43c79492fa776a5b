package records

import (
	"fmt"
	"strings"
)

// gmresRatio judges the ratio of a value of solves by GMRES. args are the value; product and basis of one solve and
// of the other, such as "FP64/vectors"; and "cache" for times, which count beyond the cache only.
func gmresRatio(list []Record, c Claim, args []string) Finding {
	timed := len(args) > 3
	if timed {
		list = beyondCache(list)
	} else {
		list = whole(list)
	}
	form := func(text string) labels {
		product, basis, _ := strings.Cut(text, "/")
		return labels{"product": product, "basis": basis}
	}
	p := pairs(list, "gmres", form(args[1]), form(args[2]), args[0])
	if !timed { // a solve that does not converge does not count
		kept := p[:0]
		for _, q := range p {
			if q.a.Values["converged"] == 1 && q.b.Values["converged"] == 1 {
				kept = append(kept, q)
			}
		}
		p = kept
	}
	s := spreadOf(ratios(p, args[0]))
	if s.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	f := s.finding(c.Threshold, fmt.Sprintf("%s / %s, %d solves: %.2f to %.2f", args[2], args[1], s.n, s.least, s.most))
	if timed {
		f.Size = leastSize(both(p))
	}
	return f
}

// dotWithin judges errors of inner products and sums relative to epsilon.
func dotWithin(list []Record, c Claim, _ []string) Finding {
	var errors []float64
	held := 0
	for _, r := range of(list, "dot", nil, "error_epsilon") {
		e := r.Values["error_epsilon"]
		errors = append(errors, e)
		held += count(e <= c.Threshold)
	}
	s := spreadOf(errors)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict: inAll(held, s.n), Measured: fmt.Sprintf("%.2g at most", s.most), Spread: s.quartiles("%.2g"),
		Data: fmt.Sprintf("error / epsilon ||x||_1 ||y||_inf of %d inner products and sums", s.n),
	}
}

// dotTime judges the time of inner products, or of sums, relative to FP64 beyond the cache; args are the kernel and
// the distributions with their order.
func dotTime(list []Record, c Claim, args []string) Finding {
	var times []float64
	var timed []Record
	for _, form := range args[1:] {
		distribution, order, _ := strings.Cut(form, "/")
		for _, r := range of(beyondCache(list), "dot", labels{"kernel": args[0], "distribution": distribution, "order": order}, "time_fp64") {
			times, timed = append(times, r.Values["time_fp64"]), append(timed, r)
		}
	}
	s := spreadOf(times)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: needsFull}
	}
	f := s.finding(c.Threshold, fmt.Sprintf("time relative to FP64, %d vectors and accuracies: %.2f to %.2f", s.n, s.least, s.most))
	f.Size = leastSize(timed)
	return f
}
