package records

import (
	"fmt"
	"slices"
)

// excess lists by how many digits the CESTAC count exceeds the correct digits, in solves to a tolerance that have a
// reference.
func excess(list []Record, tolerance string) (by []float64) {
	for _, r := range list {
		right, known := r.Values["right_digits"]
		if r.Kind == "stochastic" && known && r.Label("tolerance") == tolerance && r.Values["converged"] == 1 {
			by = append(by, r.Values["cestac_digits"]-right)
		}
	}
	return by
}

// shareFinding judges how many of the numbers satisfy a condition: at least the share wanted, or half of it.
func shareFinding(by []float64, what string, claim Claim, ok func(float64) bool) Finding {
	if len(by) == 0 {
		return Finding{Verdict: NotMeasured}
	}
	n := 0
	for _, v := range by {
		if ok(v) {
			n++
		}
	}
	part, verdict := float64(n)/float64(len(by)), Fails
	switch {
	case part >= claim.Threshold:
		verdict = Holds
	case part >= claim.Threshold/2:
		verdict = Partly
	}
	s := spreadOf(by)
	return Finding{
		Verdict: verdict, Measured: fmt.Sprintf("%d of %d %s", n, len(by), what),
		Spread: s.quartiles("%+.1f"), Data: fmt.Sprintf("digits too many: %+.1f in the median, %+.1f to %+.1f", s.median, s.least, s.most),
	}
}

func cestacRight(list []Record, claim Claim, args []string) Finding {
	return shareFinding(excess(list, args[0]), "solves", claim, func(v float64) bool { return v <= 1 })
}

func cestacOver(list []Record, claim Claim, args []string) Finding {
	return shareFinding(excess(list, args[0]), "solves", claim, func(v float64) bool { return v >= 2 })
}

// searches returns the searches for formats that found something, at a tolerance.
func searches(list []Record, tolerance string) []Record {
	return slices.DeleteFunc(slices.Clone(list), func(r Record) bool {
		_, found := r.Values["moved_fp64"]
		return r.Kind != "formats" || !found || r.Label("tolerance") != tolerance
	})
}

func promiseResiduals(list []Record, claim Claim, args []string) Finding {
	var rest []float64
	stay := 0
	for _, r := range searches(list, args[0]) {
		rest = append(rest, r.Values["fp64_rest"])
		if r.Values["fp64_residuals"] == 1 {
			stay++
		}
	}
	if len(rest) == 0 {
		return Finding{Verdict: NotMeasured}
	}
	s, verdict := spreadOf(rest), Fails
	switch {
	case stay == len(rest) && s.median <= claim.Threshold:
		verdict = Holds
	case stay == len(rest) || s.median <= claim.Threshold:
		verdict = Partly
	}
	return Finding{
		Verdict: verdict, Measured: fmt.Sprintf("residuals in %d of %d, %s of the rest in the median", stay, len(rest), percent(s.median)),
		Spread: s.quartiles("%.2f"), Data: fmt.Sprintf("%.2f to %.2f of the rest", s.least, s.most),
	}
}

func promiseMoved(list []Record, claim Claim, args []string) Finding {
	var moved []float64
	for _, r := range searches(list, args[0]) {
		moved = append(moved, r.Values["moved_fp64"])
	}
	if len(moved) == 0 {
		return Finding{Verdict: NotMeasured}
	}
	s, verdict := spreadOf(moved), Fails
	switch {
	case s.median <= claim.Threshold:
		verdict = Holds
	case s.median < 1:
		verdict = Partly
	}
	return Finding{
		Verdict: verdict, Measured: fmt.Sprintf("%.2f in the median", s.median), Spread: s.quartiles("%.2f"),
		Data: fmt.Sprintf("%.2f to %.2f of the bytes of FP64 in %d searches", s.least, s.most, len(moved)),
	}
}
