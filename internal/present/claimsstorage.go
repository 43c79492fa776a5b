package present

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/records"
)

// target is the number behind a label such as 2^-24, NaN if it is none.
func target(label string) float64 {
	exponent, ok := strings.CutPrefix(label, "2^-")
	n, err := strconv.Atoi(exponent)
	if !ok || err != nil {
		return math.NaN()
	}
	return math.Ldexp(1, -n)
}

// adaptiveSet reports whether the formats are a set, not a single one.
func adaptiveSet(r records.Record) bool { return strings.HasPrefix(r.Label("formats"), "A") }

func errorsOfOrderEpsilon(list []records.Record, _ []string) (Verdict, string) {
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

func storageAsPredicted(list []records.Record, _ []string) (Verdict, string) {
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

// storageFalls checks that storage does not grow from one value of a label to the
// next; args are the label and its values.
func storageFalls(list []records.Record, args []string) (Verdict, string) {
	label, values := args[0], args[1:]
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

// largestReduction compares the largest factor with the published one.
func largestReduction(list []records.Record, args []string) (Verdict, string) {
	published := number(args[0])
	best, at := 0.0, ""
	for _, r := range of(list, "product", labels{"formats": "AP7", "arithmetic": "storage"}, "storage") {
		reduction := 1 / r.Values["storage"]
		if reduction > best {
			best, at = reduction, r.Label("matrix")+" at "+r.Label("epsilon")+" "+r.Label("criterion")
		}
	}
	if best == 0 {
		return NotMeasured, ""
	}
	verdict := Holds
	if best < enough*published {
		verdict = Partly
	}
	return verdict, fmt.Sprintf("AP7 takes less than FP64 by a factor of up to %.0f (%s); published: %.0f", best, at, published)
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

// gain judges whether sets gain as much as is published of a value, such as storage,
// over another set: the first of them, or the next if that gains too little. args are
// the value, the other set, the published gain, and the sets.
func gain(list []records.Record, args []string) (verdict Verdict, data string) {
	value, than, published := args[0], args[1], number(args[2])
	for _, set := range args[3:] {
		v, text := gained(list, set, than, value, published)
		switch {
		case data == "":
			verdict, data = v, text
		case v == NotMeasured:
			return verdict, data
		default:
			if verdict == Fails || verdict == NotMeasured || v == Holds {
				verdict = v
			}
			data += "; " + text
		}
		if verdict == Holds {
			break
		}
	}
	return verdict, data
}

func droppingVersusPrecision(list []records.Record, _ []string) (Verdict, string) {
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
