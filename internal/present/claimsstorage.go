package present

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/records"
)

// storageClaims are those about errors and storage of a product.
func storageClaims() []Claim {
	return []Claim{
		{
			ID: "error", Paper: "Molina24", Source: "section 3.4.3, figures 3.2 and 4.4",
			Statement: "The backward error is of order epsilon for every set of formats, target and criterion.",
			Cause:     "errors far below epsilon come from elements that need no more bits than their format has",
			check:     errorsOfOrderEpsilon,
		},
		{
			ID: "prediction", Paper: "Molina24", Source: "eq. (3.30)",
			Statement: "What a matrix takes follows from the magnitudes of its elements alone: storage equals prediction.",
			check:     storageAsPredicted,
		},
		{
			ID: "formats", Paper: "Molina24", Source: "section 3.4.3, figure 3.3",
			Statement: "The more formats, the less storage (AP2, AP3, AP7).",
			Cause:     "each format has row offsets of its own, which rows of few nonzeros do not pay for",
			check: func(list []records.Record) (Verdict, string) {
				return falls(list, "formats", []string{"AP2", "AP3", "AP7"})
			},
		},
		{
			ID: "target", Paper: "Molina24", Source: "section 3.4.3, figure 3.3",
			Statement: "The coarser the target, the less storage.",
			Cause:     "elements that spread over more formats need more arrays of row offsets",
			check: func(list []records.Record) (Verdict, string) {
				return falls(list, "epsilon", []string{"2^-53", "2^-37", "2^-24"})
			},
		},
		{
			ID: "criterion", Paper: "Molina24", Source: "section 3.4.3, figure 3.3",
			Statement: "The normwise criterion never stores more than the componentwise one.",
			Cause:     "one more format in use has one more array of row offsets",
			check: func(list []records.Record) (Verdict, string) {
				return falls(list, "criterion", []string{"cw", "nw"})
			},
		},
		{
			ID: "reduction", Paper: "Molina24", Source: "section 3.4.3",
			Statement: "Storage falls by up to a factor of 36 over all matrices of table 3.2.",
			Cause:     "the factor is that of one matrix; surrogates imitate classes of matrices, not single ones",
			check:     largestReduction,
		},
		gain("AP4", "AP2", "storage", 0.24), gain("AP7", "AP4", "storage", 0.11), reducedExponents(),
		{
			ID: "dropping", Paper: "Molina24", Source: "section 3.4.4, figure 3.6",
			Statement: "Dropping saves most in some matrices, lower precision in others; both together save at least as much as either.",
			check:     droppingVersusPrecision,
		},
	}
}

// target is the number behind a label such as 2^-24, NaN if it is none.
func target(label string) float64 {
	exponent, ok := strings.CutPrefix(label, "2^-")
	n, err := strconv.Atoi(exponent)
	if !ok || err != nil {
		return math.NaN()
	}
	return math.Ldexp(1, -n)
}

// adaptiveSet tells sets of formats from single ones.
func adaptiveSet(r records.Record) bool { return strings.HasPrefix(r.Label("formats"), "A") }

func errorsOfOrderEpsilon(list []records.Record) (Verdict, string) {
	within, fullSignificands := 0, 0
	var relative, standIns []float64
	for _, r := range of(list, "product", nil, "error_nw") {
		if !adaptiveSet(r) {
			continue
		}
		e := r.Values["error_nw"]
		if r.Label("criterion") == "cw" {
			e = r.Values["error_row"]
		}
		x := e / target(r.Label("epsilon"))
		relative = append(relative, x)
		if e <= r.Values["bound"] {
			within++
		}
		if r.Matrix != nil && r.Matrix.Surrogate {
			standIns = append(standIns, x)
			if x >= 0.01 {
				fullSignificands++
			}
		}
	}
	s := spreadOf(relative)
	data := fmt.Sprintf("error / epsilon of %d products: %.2g to %.2g, median %.2g; %d within the bound; of %d with surrogates %d are above epsilon/100",
		s.n, s.least, s.max, s.median, within, len(standIns), fullSignificands)
	return inAll(within, s.n), data
}

func storageAsPredicted(list []records.Record) (Verdict, string) {
	equal, n := 0, 0
	for _, r := range of(list, "product", nil, "predicted") {
		if r.Notes["layout"] != "bucketed" || !adaptiveSet(r) {
			continue
		}
		n++
		if r.Values["bytes"] == r.Values["predicted"] {
			equal++
		}
	}
	return inAll(equal, n), fmt.Sprintf("%d of %d matrices take the bytes that were predicted", equal, n)
}

// falls checks that storage does not grow from one value of a label to the next.
func falls(list []records.Record, label string, values []string) (Verdict, string) {
	held, n := 0, 0
	worst := 0.0
	var steps []string
	for k := 1; k < len(values); k++ {
		p := pairs(list, "product", labels{label: values[k-1], "drop": "yes"}, labels{label: values[k], "drop": "yes"}, "storage")
		for _, q := range p {
			if !adaptiveSet(q.a) {
				continue
			}
			n++
			x := q.ratio("storage")
			if x <= 1 {
				held++
			}
			worst = max(worst, x)
		}
		s := spreadOf(ratios(p, "storage"))
		steps = append(steps, fmt.Sprintf("%s to %s: %.2f in the median", values[k-1], values[k], s.median))
	}
	return inAll(held, n), fmt.Sprintf("ratio of storage %s; %d of %d not above 1, the largest %.4f", strings.Join(steps, ", "), held, n, worst)
}

func largestReduction(list []records.Record) (Verdict, string) {
	const published = 36
	best, of36 := 0.0, ""
	for _, r := range of(list, "product", labels{"formats": "AP7", "arithmetic": "storage"}, "storage") {
		reduction := 1 / r.Values["storage"]
		if reduction > best {
			best, of36 = reduction, r.Label("matrix")+" at "+r.Label("epsilon")+" "+r.Label("criterion")
		}
	}
	if best == 0 {
		return NotMeasured, ""
	}
	verdict := Holds
	if best < enough*published {
		verdict = Partly
	}
	return verdict, fmt.Sprintf("AP7 takes up to %.0f times less than FP64 (%s); published: %d", best, of36, published)
}

// gain is a claim that one set stores up to so much less than another, on the
// matrices of table 4.4.
func gain(set, than, value string, published float64) Claim {
	return Claim{
		ID: strings.ToLower(set) + "-" + strings.ToLower(than) + "-" + value, Paper: "Molina24", Source: "section 4.3, figures 4.5 and 4.6",
		Statement: fmt.Sprintf("%s: %s less than %s by up to %.0f %%.", set, value, than, 100*published),
		Cause:     "the largest gain is that of single matrices, which surrogates imitate as a class only",
		check: func(list []records.Record) (Verdict, string) {
			return gained(list, set, than, value, published)
		},
	}
}

// enough is the part of a published gain that makes a claim hold.
const enough = 0.75

// gained compares two sets wherever both were measured. The claim holds if the
// largest gain is nearly the published one.
func gained(list []records.Record, set, than, value string, published float64) (Verdict, string) {
	if value == "time" {
		list = beyondCache(list)
	}
	p := pairs(list, "product", labels{"formats": than, "arithmetic": "fp64", "drop": "yes"}, labels{"formats": set, "arithmetic": "fp64", "drop": "yes"}, value)
	s := spreadOf(ratios(p, value))
	if s.n == 0 {
		return NotMeasured, map[string]string{"time": needsFull}[value]
	}
	data := fmt.Sprintf("%s of %s / %s: %.2f to %.2f, median %.2f, over %d matrices and targets; largest gain %s (%s); published: %s",
		value, set, than, s.least, s.max, s.median, s.n, percent(1-s.least), where(p, value), percent(published))
	switch {
	case s.least >= 1:
		return Fails, data
	case 1-s.least < enough*published:
		return Partly, data
	}
	return Holds, data
}

func reducedExponents() Claim {
	c := gain("AP7RE", "AP7", "storage", 0.16)
	c.Statement = "Reduced exponents, with or without sign (AP7RE, AP7REU): storage less than AP7 by up to 16 %."
	c.check = func(list []records.Record) (Verdict, string) {
		re, data := gained(list, "AP7RE", "AP7", "storage", 0.16)
		reu, more := gained(list, "AP7REU", "AP7", "storage", 0.16)
		switch {
		case reu == NotMeasured || re == Holds:
			return re, data
		case re == Fails || re == NotMeasured || reu == Holds:
			re = reu
		}
		return re, data + "; " + more
	}
	return c
}

func droppingVersusPrecision(list []records.Record) (Verdict, string) {
	// Points of figure 3.6: FP64 alone with dropping, both without, both with.
	drop := pairs(list, "product", labels{"formats": "AP2", "drop": "no"}, labels{"formats": "AP1", "drop": "yes"}, "storage")
	both := pairs(list, "product", labels{"formats": "AP2", "drop": "no"}, labels{"formats": "AP2", "drop": "yes"}, "storage")
	if len(drop) == 0 || len(both) == 0 {
		return NotMeasured, ""
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
	data := fmt.Sprintf("dropping alone stores less than lower precision alone in %d of %d matrices; both together no more than precision alone in %d of %d",
		dropWins, len(drop), together, len(both))
	if dropWins == 0 || dropWins == len(drop) || together < len(both) {
		return Partly, data
	}
	return Holds, data
}
