package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// StochasticDigits is the output of `mpsolve digits`: an ordinary solve, and one in discrete stochastic arithmetic.
type StochasticDigits struct {
	Version    string `json:"version"`
	File       string `json:"file"`
	Rows       int    `json:"rows"`
	NNZ        int64  `json:"nnz"`
	RHS        string `json:"rhs"`
	Seed       uint64 `json:"seed"`
	Method     string `json:"method"`
	Precond    string `json:"precond"`
	Converged  bool   `json:"converged"` // both solves converged
	Reason     string `json:"reason"`    // of the ordinary solve
	Ended      string `json:"stochastic_reason"`
	Error      Number `json:"backward_error"` // row-wise, of the ordinary solve
	Spread     Number `json:"stochastic_backward_error"`
	Digits     Digits `json:"digits"`
	Cestac     Cestac `json:"cestac"`
	Comparison string `json:"comparison"` // of the digits of both solves
}

// Cestac has the numbers of digits that roundings leave.
type Cestac struct {
	Largest   float64     `json:"largest_elements"` // in the maximum norm
	Least     float64     `json:"least"`
	Median    float64     `json:"median"`
	Most      float64     `json:"most"`
	Zeros     int         `json:"computational_zeros"`
	Histogram []int       `json:"histogram"` // elements with 0, 1, 2, ... digits, rounded down
	Worst     []Element   `json:"worst"`
	Unstable  Instability `json:"instabilities"`
	Iteration [2]int      `json:"iterations"` // of the ordinary solve and of the stochastic one
}

// Element is an element of x.
type Element struct {
	Row    int     `json:"row"` // from 1
	Value  string  `json:"value"`
	Digits float64 `json:"digits"`
}

// Instability is the JSON form of lab.Instabilities.
type Instability struct {
	Cancellations   int64 `json:"cancellations"`
	Multiplications int64 `json:"multiplications"`
	Divisions       int64 `json:"divisions"`
	Roots           int64 `json:"roots"`
	Decisions       int64 `json:"decisions"`
}

type sampleRank struct {
	row    int
	digits float64
}

// worstElements is the number of elements with the fewest digits that are shown.
const worstElements = 5

// Compare fills in the results of the two solves.
func (d *StochasticDigits) Compare(f csr.Facts, plain solve.Result, s lab.StochasticSolution) {
	d.Rows, d.NNZ, d.Seed = f.Rows, int64(f.NNZ), s.Seed
	d.Method, d.Precond = plain.Method, plain.Precond.Text
	d.Converged = plain.Reason.Converged() && s.Reason.Converged()
	d.Reason, d.Ended = plain.Reason.String(), s.Reason.String()
	d.Error, d.Spread = Number(plain.Errors.Row), Number(s.Errors.Row)
	d.Digits = digits(plain.Digits)
	c := &d.Cestac
	c.Largest = lab.LargestDigits(s.Samples)
	c.Iteration = [2]int{plain.Iterations, s.Iterations}
	c.Unstable = Instability(s.Unstable)
	significant := s.Significant()
	c.Histogram = make([]int, solve.MaxDigits+1)
	all := make([]sampleRank, len(significant))
	for i, v := range significant {
		all[i] = sampleRank{i, v}
		c.Histogram[int(v)]++
		if v == 0 {
			c.Zeros++
		}
	}
	slices.SortStableFunc(all, func(a, b sampleRank) int { return cmp.Compare(a.digits, b.digits) })
	c.Least, c.Median, c.Most = all[0].digits, all[len(all)/2].digits, all[len(all)-1].digits
	for _, e := range all[:min(worstElements, len(all))] {
		c.Worst = append(c.Worst, Element{e.row + 1, lab.FormatTriple(s.Samples[e.row]), e.digits})
	}
	d.Comparison = d.comparison()
}

// WriteText writes the result as text.
func (d *StochasticDigits) WriteText(w io.Writer) {
	c := d.Cestac
	Line(w, "solve", "%s, row-wise backward error %.1e, %s of %s, precond %s", d.Reason, d.Error, english.Plural(c.Iteration[0], "iteration", ""), d.Method, d.Precond)
	text := d.Digits.Text()
	if text == "" {
		text = "not estimated"
	}
	Line(w, "digits", "%s", text)
	Line(w, "stochastic", "%s, row-wise backward error %.1e, %s, seed %d", d.Ended, d.Spread, english.Plural(c.Iteration[1], "iteration", ""), d.Seed)
	Line(w, "cestac", "%.1f digits of the largest elements survive random rounding; by elements %.1f to %.1f, median %.1f, %s",
		c.Largest, c.Least, c.Most, c.Median, english.Plural(c.Zeros, "computational zero", "computational zeros"))
	var classes []string
	for k, n := range c.Histogram {
		if n > 0 {
			classes = append(classes, fmt.Sprintf("%d: %d", k, n))
		}
	}
	Line(w, "elements", "by digits, %s", strings.Join(classes, ", "))
	var worst []string
	for _, e := range c.Worst {
		worst = append(worst, fmt.Sprintf("x(%d) = %s", e.Row, e.Value))
	}
	Line(w, "least", "%s", strings.Join(worst, ", "))
	u := c.Unstable
	Line(w, "unstable", "%d cancellations of 4 digits or more; with computational zeros %d multiplications, %d divisions, %d roots, %d decisions",
		u.Cancellations, u.Multiplications, u.Divisions, u.Roots, u.Decisions)
	Line(w, "compare", "%s", d.Comparison)
}

// comparison says how to read the two numbers of digits.
func (d *StochasticDigits) comparison() string {
	known := d.Digits.State == "believed" || d.Digits.State == "estimated"
	switch {
	case !d.Converged:
		return "a solve did not converge: the samples may have errors in common that no digit shows"
	case !known:
		return "digits of solve are not known: CESTAC alone counts what roundings leave, and is no bound of the error"
	case float64(d.Digits.Believed) < math.Floor(d.Cestac.Largest):
		return fmt.Sprintf("believe %d: CESTAC does not show how far x is from convergence, an error that its samples have in common", d.Digits.Believed)
	case float64(d.Digits.Believed) > d.Cestac.Largest+1:
		return "solve took steps of refinement after it met the tolerance, which correct what roundings did; CESTAC counts without them"
	}
	return "both agree"
}
