package present

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// Verdict is what measurements say about a claim.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"
	Partly      Verdict = "holds in part"
	Fails       Verdict = "does not hold here"
	NotMeasured Verdict = "not measured"
	NotHere     Verdict = "no verdict here" // measured on hardware that the claim is not about
)

// Claim is a statement of a paper, with the rule by which it is judged: written down before
// anything is measured, or else Seen.
type Claim struct {
	ID        string
	Paper     string // key in reproduce/present/BIBLIOGRAPHY.md
	Source    string // where in it
	Statement string
	Published string   // the number that the paper gives, if it gives one
	Rule      string   // when it holds; %v stands for the threshold
	Threshold float64  // what Rule compares with
	Seen      bool     // the rule was written after measurements had been seen
	Cause     string   // the likely cause where it does not hold on a machine, or only in part
	Check     []string // a name in checks, and its arguments
}

// Condition is the rule with its threshold.
func (c Claim) Condition() string {
	rule := strings.ReplaceAll(c.Rule, "%v", fmt.Sprint(c.Threshold))
	if c.Seen {
		rule += " (a rule written after measurements had been seen)"
	}
	return rule
}

// Finding is what measurements say about a claim.
type Finding struct {
	Verdict  Verdict
	Measured string // what stands beside Published
	Spread   string // of Measured: its quartiles over matrices, or over the rounds of one
	Size     string // of times: the least stored form, relative to the last-level cache
	Data     string // more figures behind the verdict; or why there is none
}

// checks judge claims by records. Arguments are those of the claim's Check.
var checks = map[string]func(list []records.Record, c Claim, args []string) Finding{
	"error":      errorsOfOrderEpsilon,
	"prediction": storageAsPredicted,
	"falls":      storageFalls,
	"reduction":  largestReduction,
	"gain":       storageGain,
	"dropping":   droppingVersusPrecision,

	"cw converges":    cwConverges,
	"nw varies":       nwVaries,
	"nw fast":         nwFast,
	"nw fast error":   nwFastError,
	"coarser":         coarserTarget,
	"between":         bestBetween,
	"iteration time":  iterationTime,
	"time gain":       timeGain,
	"time ~ storage":  timeFollowsStorage,
	"equal accuracy":  fasterThanUniform,
	"scaling":         scalesAlike,
	"accessor error":  accessorError,
	"accessor time":   accessorTime,
	"roofline":        rooflineFollows,
	"lighter indices": lighterIndices,
	"energy":          energySaved,
	"gmres":           gmresRatio,
	"dot within":      dotWithin,
	"dot time":        dotTime,
	"near bound":      methodsNearBound,
	"methods alike":   methodsAlike,

	"agata identical":   agataIdentical,
	"agata mixed":       agataMixed,
	"agata order":       agataOrder,
	"agata time":        agataTime,
	"agata distances":   agataDistances,
	"agata energies":    agataEnergies,
	"agata stochastic":  agataStochastic,
	"cestac":            cestacRight,
	"cestac over":       cestacOver,
	"promise residuals": promiseResiduals,
	"promise moved":     promiseMoved,

	"similar storage":    similarStorage,
	"slightly more time": slightlyMoreTime,
	"less storage":       lessStorage,
	"range":              rangeMatters,

	"mp growth": mpGrowth,
	"mp ratio":  mpRatio,
	"mp sums":   mpSums,

	"stream dot":      streamDot,
	"bandwidth share": bandwidthShare,
	"dd product":      ddProductTime,
	"dd layout":       ddLayoutTime,
	"dd times":        ddTimes,
	"dd vectors":      ddVectorTime,
	"dd parts":        ddPartsMatter,
	"dd robust":       ddRobust,
	"dd switch":       ddSwitches,

	"no winner": noWinner,
	"by bytes":  byBytes,
}

//go:embed claims.yaml
var claimsYAML []byte

// claims are those of claims.yaml, read when a report needs them.
var claims = sync.OnceValue(parseClaims)

func parseClaims() (list []Claim) {
	d := yaml.NewDecoder(bytes.NewReader(claimsYAML))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		panic(fmt.Sprintf("claims.yaml: %v", err)) // excluded by the tests
	}
	return list
}

// Outcome is a claim and what the measurements say.
type Outcome struct {
	Claim
	Finding
}

// LikelyCause is the Cause if the claim does not hold, or only in part, else "".
func (o Outcome) LikelyCause() string {
	if o.Verdict == Partly || o.Verdict == Fails {
		return o.Cause
	}
	return ""
}

// judge decides all claims by the latest of the measurements of the same thing on a
// machine; quick ones count only where there are no full ones.
func judge(list []records.Record) (outcomes []Outcome) {
	list = preferFull(latest(list))
	for _, c := range claims() {
		outcomes = append(outcomes, Outcome{c, checks[c.Check[0]](list, c, c.Check[1:])})
	}
	return outcomes
}

// latest leaves out records that were made again by another version or commit.
func latest(list []records.Record) (kept []records.Record) {
	index := map[string]int{} // in kept
	for _, r := range list {
		anyVersion := r
		anyVersion.Environment.Version, anyVersion.Environment.Commit = "", ""
		key := anyVersion.Key()
		if i, ok := index[key]; ok {
			if !r.Time.Before(kept[i].Time) {
				kept[i] = r
			}
			continue
		}
		index[key] = len(kept)
		kept = append(kept, r)
	}
	return kept
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

// below judges numbers that are to be below a limit: by three quarters of them, or by half.
func (s spread) below(limit float64) Verdict {
	switch {
	case s.n == 0:
		return NotMeasured
	case s.third < limit:
		return Holds
	case s.median < limit:
		return Partly
	}
	return Fails
}

// finding judges them as below does, and describes them by the median and the quartiles.
func (s spread) finding(limit float64, data string) Finding {
	if s.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict: s.below(limit), Measured: fmt.Sprintf("%.2f in the median", s.median), Spread: s.quartiles("%.2f"), Data: data,
	}
}

// percent of one.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
