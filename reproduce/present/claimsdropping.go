package present

import (
	"fmt"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// much is the factor from which on a solve counts as much faster in figure 3.10 of [Molina24].
const much = 3

// nwFastError judges the forward errors of solves that are much faster than uniform FP32.
func nwFastError(list []records.Record, claim Claim, _ []string) Finding {
	var errors []float64
	wrong := 0
	for _, p := range normwisePairs(list) {
		e, ok := p.b.Values["forward_error"]
		if !ok || p.b.Values["converged"] != 1 || p.a.Values["converged"] == 1 && p.ratio("iterations") > 1.0/much {
			continue
		}
		errors = append(errors, e)
		if e >= claim.Threshold {
			wrong++
		}
	}
	if len(errors) == 0 {
		return Finding{Verdict: NotMeasured}
	}
	s := spreadOf(errors)
	return Finding{
		Verdict:  inAll(wrong, len(errors)),
		Measured: fmt.Sprintf("forward errors of %.1e in the median, %.1e to %.1e", s.median, s.least, s.most),
		Spread:   s.quartiles("%.1e"),
		Data:     fmt.Sprintf("%d of %d such solves are that wrong", wrong, len(errors)),
	}
}
