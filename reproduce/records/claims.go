package records

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Verdict is the verdict of measurements on a claim.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"
	Partly      Verdict = "holds in part"
	Fails       Verdict = "does not hold here"
	NotMeasured Verdict = "not measured"
	NotHere     Verdict = "not comparable" // measured on something that the claim is not about
)

// Claim is a statement of a paper, with the rule that judges it. The rule was written before anything was measured,
// unless Seen.
type Claim struct {
	ID        string
	Paper     string // key in reproduce/records/BIBLIOGRAPHY.md
	Source    string // the position in the paper
	Statement string
	Published string   // the number in the paper, if there is one
	Rule      string   // the condition under which it holds; %v stands for the threshold, %m for the median
	Threshold float64  // the number that Rule compares with
	Median    float64  // of a claim "up to": the gain that the median must reach besides
	Fitted    string   // a group of matrices whose surrogates do not count, being fitted to what the claim is about
	Elsewhere string   // why measurements here decide nothing
	Seen      bool     // the rule was written after measurements had been seen
	Cause     string   // the likely cause if the claim does not hold on a machine, or holds only in part
	Check     []string // a name in checks, and its arguments
}

// Condition is the rule with its threshold.
func (c Claim) Condition() string {
	rule := strings.NewReplacer("%v", fmt.Sprint(c.Threshold), "%m", fmt.Sprint(c.Median)).Replace(c.Rule)
	if c.Fitted != "" {
		rule += "; surrogates fitted to it do not count (" + strings.Join(groups()[c.Fitted], ", ") + ")"
	}
	if c.Median > 0 {
		rule += " (what the median must reach was written after measurements had been seen)"
	}
	if c.Seen {
		rule += " (a rule written after measurements had been seen)"
	}
	return rule
}

// Finding is the judgement of measurements on a claim.
type Finding struct {
	Verdict  Verdict
	Scope    string // of a verdict by surrogates: that it is on classes only, and the verdict of real matrices
	Measured string // the number to show beside Published
	Spread   string // the quartiles of Measured over matrices, or over the rounds of one
	Size     string // for times: the smallest stored form, relative to the last-level cache
	Data     string // more figures behind the verdict; or why there is none
}

// checks are functions that judge claims by records. Their arguments are those of the claim's Check.
var checks = map[string]func(list []Record, c Claim, args []string) Finding{
	"error":        errorsOfOrderEpsilon,
	"more formats": errorsGrow,
	"falls":        storageFalls,
	"reduction":    largestReduction,
	"gain":         storageGain,
	"dropping":     droppingVersusPrecision,

	"cw converges":    cwConverges,
	"nw varies":       nwVaries,
	"nw fast":         nwFast,
	"nw fast error":   nwFastError,
	"nw bicgstab":     nwStopsBicgstab,
	"coarser":         coarserTarget,
	"between":         bestBetween,
	"iteration time":  iterationTime,
	"product shares":  productShares,
	"time between":    timeBetween,
	"halves":          halves,
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

// claimsFile lists the claims of the papers.
const claimsFile = "claims.yaml"

//go:embed claims.yaml
var claimsYAML []byte

// claims are the claims of claims.yaml, read when a report needs them.
var claims = sync.OnceValue(parseClaims)

func parseClaims() (list []Claim) {
	d := yaml.NewDecoder(bytes.NewReader(claimsYAML))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		panic(fmt.Sprintf("claims.yaml: %v", err)) // the tests exclude this
	}
	return list
}

// Outcome is a claim and the judgement on it.
type Outcome struct {
	Claim
	Finding
}

// LikelyCause returns the Cause if the claim does not hold, or holds only in part, otherwise "".
func (o Outcome) LikelyCause() string {
	if o.Verdict == Partly || o.Verdict == Fails {
		return o.Cause
	}
	return ""
}

// judge judges all claims by the latest measurements of each thing on a machine; quick ones count only where there
// are no full ones.
func judge(list []Record) (outcomes []Outcome) {
	list = preferFull(latest(list))
	for _, c := range claims() {
		outcomes = append(outcomes, Outcome{c, c.judge(list)})
	}
	return outcomes
}

// judge judges the claim by surrogates, except those fitted to it, and separately by real matrices. Where there are
// only real matrices, or where the claim is not about matrices, theirs is the verdict.
func (c Claim) judge(list []Record) Finding {
	check := func(drop func(r Record) bool) Finding {
		return checks[c.Check[0]](slices.DeleteFunc(slices.Clone(list), func(r Record) bool { return r.Matrix != nil && drop(r) }), c, c.Check[1:])
	}
	surrogate := func(r Record) bool { return r.Matrix.Surrogate }
	none := check(func(Record) bool { return true })
	actual := check(surrogate)
	f := check(func(r Record) bool { return !surrogate(r) || slices.Contains(groups()[c.Fitted], r.Matrix.Name) })
	switch {
	case f == none || f.Verdict == NotMeasured:
		f = actual
	case actual == none || actual.Verdict == NotMeasured:
		f.Scope = "class only"
	default:
		f.Scope = "class only; real matrices: " + string(actual.Verdict)
		f.Data += fmt.Sprintf("; real matrices alone: %s (%s)", actual.Measured, actual.Data)
	}
	if c.Elsewhere != "" && f.Verdict != NotMeasured {
		f.Verdict, f.Scope, f.Data = NotHere, "", f.Data+"; "+c.Elsewhere
	}
	return f
}

// groups are the groups of matrices.
var groups = sync.OnceValue(func() GroupsByName {
	g, _ := Groups() // the tests exclude an error
	return g
})

// upTo judges a claim that something gains up to so much, by the largest gain and the median: it holds if both reach
// what the claim asks, and in part if one does.
func (c Claim) upTo(largest, median float64) Verdict {
	return inAll(count(largest >= c.Threshold, median >= c.Median), 2)
}

// latest removes records that another version or commit has made again.
func latest(list []Record) (kept []Record) {
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

// preferFull removes quick records of kinds and matrices that have full ones.
func preferFull(list []Record) []Record {
	what := func(r Record) string { return r.Kind + "\t" + r.Label("matrix") }
	full := map[string]bool{}
	for _, r := range list {
		if !r.Quick {
			full[what(r)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(r Record) bool { return r.Quick && full[what(r)] })
}

// inAll returns Holds if the claim held in all cases, Partly if in some, Fails if in none.
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

// below judges whether three quarters of the numbers, or half of them, are below a limit.
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

// finding judges as below does, and describes the numbers by the median and the quartiles.
func (s spread) finding(limit float64, data string) Finding {
	if s.n == 0 {
		return Finding{Verdict: NotMeasured}
	}
	return Finding{
		Verdict: s.below(limit), Measured: fmt.Sprintf("%.2f in the median", s.median), Spread: s.quartiles("%.2f"), Data: data,
	}
}

// percent formats a share in percent.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
