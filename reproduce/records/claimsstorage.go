package records

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// target returns the number of a label such as 2^-24, NaN if the label is not a number.
func target(label string) float64 {
	exponent, ok := strings.CutPrefix(label, "2^-")
	n, err := strconv.Atoi(exponent)
	if !ok || err != nil {
		return math.NaN()
	}
	return math.Ldexp(1, -n)
}

// adaptiveSet reports whether the formats are a set rather than a single format.
func adaptiveSet(r Record) bool { return strings.HasPrefix(r.Label("formats"), "A") }

// ofPapers reports whether the formats are a set of the papers.
func ofPapers(r Record) bool { return adaptiveSet(r) && r.Label("formats") != "AFX" }

// relativeError returns the error of a product, normwise or of rows as the criterion says, relative to epsilon.
func relativeError(r Record) float64 {
	e := r.Values["error_nw"]
	if r.Label("criterion") == "cw" {
		e = r.Values["error_row"]
	}
	return e / target(r.Label("epsilon"))
}

func errorsOfOrderEpsilon(list []Record, c Claim, _ []string) Finding {
	var relative []float64
	for _, r := range of(list, "product", nil, "error_nw") {
		if ofPapers(r) {
			relative = append(relative, relativeError(r))
		}
	}
	s := spreadOf(relative)
	return s.finding(c.Threshold, fmt.Sprintf("error / epsilon of %d products: %.2g to %.2g", s.n, s.least, s.most))
}

// errorsGrow compares the errors of sets of more formats, args[1:], with those of the set args[0].
func errorsGrow(list []Record, c Claim, args []string) Finding {
	var all []float64
	for _, set := range args[1:] {
		for _, p := range pairs(list, "product", labels{"formats": args[0], "drop": "yes"}, labels{"formats": set, "drop": "yes"}, "error_nw") {
			if e := relativeError(p.a); e > 0 {
				all = append(all, relativeError(p.b)/e)
			}
		}
	}
	s := spreadOf(all)
	f := s.finding(c.Threshold, fmt.Sprintf("error of %s / error of %s, %d products: %.2g to %.2g", strings.Join(args[1:], " and "), args[0], s.n, s.least, s.most))
	if s.n > 0 {
		f.Verdict = inAll(count(s.median > 1, s.third < c.Threshold), 2)
	}
	return f
}

// halves judges whether the storage of each matrix args[3:] falls as far as the threshold, by one of the criteria,
// from the set args[0] to the set args[1] at the target args[2].
func halves(list []Record, c Claim, args []string) Finding {
	var all []float64
	for _, matrix := range args[3:] {
		p := pairs(list, "product", labels{"formats": args[0], "epsilon": args[2], "drop": "yes", "matrix": matrix},
			labels{"formats": args[1], "epsilon": args[2], "drop": "yes", "matrix": matrix}, "storage")
		if len(p) > 0 {
			all = append(all, spreadOf(ratios(p, "storage")).least)
		}
	}
	s := spreadOf(all)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict: inAll(count(s.least <= c.Threshold, s.most <= c.Threshold), 2), Measured: fmt.Sprintf("%.2f to %.2f", s.least, s.most),
		Data: fmt.Sprintf("storage in %s / in %s at %s, the lesser of both criteria, for %d of %s", args[1], args[0], args[2], s.n, strings.Join(args[3:], ", ")),
	}
}

// storageFalls checks that storage does not grow from one value of a label to the next; args are the label and its
// values.
func storageFalls(list []Record, c Claim, args []string) Finding {
	label, values := args[0], args[1:]
	held := 0
	var all []float64
	var steps []string
	for k := 1; k < len(values); k++ {
		var step []float64
		for _, q := range pairs(list, "product", labels{label: values[k-1], "drop": "yes"}, labels{label: values[k], "drop": "yes"}, "storage") {
			if !adaptiveSet(q.a) {
				continue
			}
			x := q.ratio("storage")
			if x <= c.Threshold {
				held++
			}
			step, all = append(step, x), append(all, x)
		}
		if len(step) > 0 {
			steps = append(steps, fmt.Sprintf("%s to %s %.2f", values[k-1], values[k], spreadOf(step).median))
		}
	}
	s := spreadOf(all)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict: inAll(held, s.n), Measured: "medians of the ratio of storage: " + strings.Join(steps, ", "), Spread: s.quartiles("%.2f"),
		Data: fmt.Sprintf("%d of %d not above %g, the largest %.2f", held, s.n, c.Threshold, s.most),
	}
}

// largestReduction judges the factors by which all sets of the papers reduce storage.
func largestReduction(list []Record, c Claim, args []string) Finding {
	var reductions []float64
	best, at := 0.0, ""
	for _, r := range of(list, "product", labels{"arithmetic": args[0]}, "storage") {
		if !ofPapers(r) || r.Label("drop") == "no" {
			continue
		}
		x := 1 / r.Values["storage"]
		reductions = append(reductions, x)
		if x > best {
			best, at = x, strings.Join([]string{r.Label("formats"), "for", starred(r), "at", r.Label("epsilon"), r.Label("criterion")}, " ")
		}
	}
	if best == 0 {
		return Finding{Verdict: NotMeasured}
	}
	s := spreadOf(reductions)
	return Finding{
		Verdict: c.upTo(best, s.median), Measured: fmt.Sprintf("%.1f times in the median, %.0f at most (%s)", s.median, best, at), Spread: s.quartiles("%.1f"),
		Data: fmt.Sprintf("factors of %d matrices, sets and targets: %.2g to %.2g", s.n, s.least, s.most),
	}
}

// starred returns the name of the matrix of a record, with a star for a surrogate.
func starred(r Record) string {
	if r.Matrix != nil && r.Matrix.Surrogate {
		return r.Matrix.Name + "*"
	}
	return r.Label("matrix")
}

// storageGain judges the share of the storage that sets save over another one. args are the other set and the sets.
func storageGain(list []Record, c Claim, args []string) Finding {
	var p []pair
	for _, set := range args[1:] {
		p = append(p, pairs(list, "product", labels{"formats": args[0], "arithmetic": "fp64", "drop": "yes"},
			labels{"formats": set, "arithmetic": "fp64", "drop": "yes"}, "storage")...)
	}
	s := spreadOf(ratios(p, "storage"))
	if s.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict:  c.upTo(1-s.least, 1-s.median),
		Measured: fmt.Sprintf("%s in the median, %s at most (%s)", percent(1-s.median), percent(1-s.least), where(p, "storage")),
		Spread:   s.quartiles("%.2f"),
		Data:     fmt.Sprintf("ratio of storage for %d matrices and targets: %.2f to %.2f", s.n, s.least, s.most),
	}
}

func droppingVersusPrecision(list []Record, _ Claim, _ []string) Finding {
	// Points of figure 3.6: FP64 alone with dropping, both without, both with.
	drop := pairs(list, "product", labels{"formats": "AP2", "drop": "no"}, labels{"formats": "AP1", "drop": "yes"}, "storage")
	both := pairs(list, "product", labels{"formats": "AP2", "drop": "no"}, labels{"formats": "AP2", "drop": "yes"}, "storage")
	if len(drop) == 0 || len(both) == 0 {
		return Finding{Verdict: NotMeasured}
	}
	dropWins, together := 0, 0
	for _, p := range drop {
		if p.ratio("storage") < 1 {
			dropWins++
		}
	}
	for _, p := range both {
		if p.ratio("storage") <= 1 {
			together++
		}
	}
	f := Finding{
		Verdict: Holds, Measured: fmt.Sprintf("dropping alone stores less than lower precision alone in %d of %d matrices", dropWins, len(drop)),
		Data: fmt.Sprintf("both together store no more than precision alone in %d of %d", together, len(both)),
	}
	if dropWins == 0 || dropWins == len(drop) || together < len(both) {
		f.Verdict = Partly
	}
	return f
}

// lighterIndices compares AFX in the layout of least storage with AFX in bucketed CSR, whose indices the thesis wants
// lighter.
func lighterIndices(list []Record, c Claim, _ []string) Finding {
	best := map[string]float64{} // of matrix and target
	for _, r := range of(list, "product", labels{"formats": "AFX"}, "predicted_storage") {
		x := r.Values["storage"] / r.Values["predicted_storage"]
		key := r.Label("matrix") + " " + r.Label("epsilon") + " " + r.Label("criterion")
		if b, ok := best[key]; !ok || x < b {
			best[key] = x
		}
	}
	var all []float64
	for _, x := range best {
		all = append(all, x)
	}
	s := spreadOf(all)
	return s.finding(c.Threshold,
		fmt.Sprintf("storage of AFX in its best layout / in bucketed CSR, %d matrices and targets: %.2f to %.2f", s.n, s.least, s.most))
}

// energySaved compares the energy of products with the energy of FP64 products.
func energySaved(list []Record, c Claim, _ []string) Finding {
	var all []float64
	for _, set := range []string{"AP2", "AP7", "AFX"} {
		all = append(all, ratios(pairs(list, "energy", labels{"formats": "FP64", "epsilon": "2^-53"}, labels{"formats": set, "epsilon": "2^-53"}, "joules"), "joules")...)
	}
	s := spreadOf(all)
	if s.n == 0 {
		return Finding{Verdict: NotMeasured, Data: "needs the energy counters of the processor"}
	}
	return s.finding(c.Threshold, fmt.Sprintf("energy relative to FP64 at 2^-53, %d products: %.2f to %.2f", s.n, s.least, s.most))
}

// much is the factor from which on a solve counts as much faster in figure 3.10 of [Molina24].
const much = 3

// nwFastError judges the forward errors of solves that are much faster than uniform FP32.
func nwFastError(list []Record, claim Claim, _ []string) Finding {
	var errors []float64
	wrong := 0
	for _, p := range compared(normwisePairs(list)) {
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
