// Package claims checks what the papers state against measurements: each claim is
// a sentence, and a function that looks at the records and says whether they agree.
package present

import (
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/records"
)

// Verdict is what measurements say about a claim.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"
	Partly      Verdict = "holds in part"
	Fails       Verdict = "does not hold here"
	NotMeasured Verdict = "not measured"
)

// Claim is a statement of a paper.
type Claim struct {
	ID        string
	Paper     string // key in docs/BIBLIOGRAPHY.md
	Source    string // where in it
	Statement string
	Cause     string // the likely cause where it does not hold on a machine, or only in part

	check func(list []records.Record) (Verdict, string)
}

// Outcome is a claim and what the measurements say.
type Outcome struct {
	Claim
	Verdict Verdict
	Data    string // the figures behind the verdict
}

// LikelyCause is the Cause if the claim does not hold, or only in part, else "".
func (o Outcome) LikelyCause() string {
	if o.Verdict == Partly || o.Verdict == Fails {
		return o.Cause
	}
	return ""
}

// Check looks at all claims. Of quick and full measurements of the same thing only
// the full ones count.
func Check(list []records.Record) []Outcome {
	list = preferFull(list)
	var outcomes []Outcome
	for _, c := range All() {
		verdict, data := c.check(list)
		outcomes = append(outcomes, Outcome{c, verdict, data})
	}
	return outcomes
}

// All lists the claims.
func All() []Claim {
	return slices.Concat(storageClaims(), solverClaims(), timeClaims(), accessorClaims())
}

// preferFull leaves out quick records of kinds and matrices that have full ones.
func preferFull(list []records.Record) []records.Record {
	what := func(r records.Record) string { return r.Kind + "\t" + r.Label("matrix") }
	full := map[string]bool{}
	for _, r := range list {
		if !r.Quick {
			full[what(r)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(r records.Record) bool { return r.Quick && full[what(r)] })
}

// inAll gives Holds if it held in all cases, Partly in some, Fails in none.
func inAll(held, cases int) Verdict {
	switch {
	case cases == 0:
		return NotMeasured
	case held == cases:
		return Holds
	case held == 0:
		return Fails
	}
	return Partly
}

// percent of one.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
