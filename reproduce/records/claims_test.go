package records

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestClaims(t *testing.T) {
	seen := map[string]map[Verdict]bool{}
	for _, c := range claims() {
		seen[c.ID] = map[Verdict]bool{}
	}
	for i, c := range cases {
		k := slices.IndexFunc(claims(), func(o Claim) bool { return o.ID == c.id })
		if k < 0 {
			t.Errorf("there is no claim %s", c.id)
			continue
		}
		outcome := judge(c.list)[k]
		if outcome.Verdict != c.want {
			t.Errorf("case %d of %s: %s, want: %s (%s)", i, c.id, outcome.Verdict, c.want, outcome.Data)
		}
		if text := outcome.Data + outcome.Measured + outcome.Condition(); strings.Contains(text, "%!") || strings.Contains(text, "NaN") && outcome.Verdict != NotMeasured ||
			outcome.Verdict != NotMeasured && (outcome.Data == "" || outcome.Measured == "") {
			t.Errorf("case %d of %s: %+v", i, c.id, outcome.Finding)
		}
		seen[c.id][c.want] = true
	}
	for id, verdicts := range seen {
		if !verdicts[NotHere] && (!verdicts[Holds] || !verdicts[Fails] && !verdicts[Partly]) {
			t.Errorf("%s: no case where it holds, or none where it does not", id)
		}
	}
}

// TestNothing: without measurements there is no verdict, and each claim is complete.
func TestNothing(t *testing.T) {
	ids := map[string]bool{}
	for _, o := range judge(nil) {
		if o.Verdict != NotMeasured {
			t.Errorf("%s: %s, of nothing", o.ID, o.Verdict)
		}
		if checks[o.Check[0]] == nil || o.Paper == "" || o.Source == "" || o.Statement == "" || o.Rule == "" || ids[o.ID] {
			t.Errorf("claim %+v", o.Claim)
		}
		ids[o.ID] = true
	}
}

// TestSmall: there is no verdict on times of forms that are smaller than four caches, or if the size of the cache is
// unknown.
func TestSmall(t *testing.T) {
	timed := 0
	for _, c := range cases {
		for _, llc := range []int64{0, 1e6 + 1} {
			small := slices.Clone(c.list)
			for i := range small {
				small[i].Environment.LLCBytes = llc
			}
			k := slices.IndexFunc(claims(), func(o Claim) bool { return o.ID == c.id })
			got, want := judge(small)[k], judge(c.list)[k]
			if want.Size != "" {
				timed++
				want.Verdict = NotMeasured
			}
			if got.Verdict != want.Verdict {
				t.Errorf("%s: %s, want: %s", c.id, got.Verdict, want.Verdict)
			}
		}
	}
	if timed < 20 {
		t.Errorf("%d verdicts on times", timed)
	}
}

// outcomeOf returns the judgement of records on a claim.
func outcomeOf(id string, list []Record) Outcome {
	return judge(list)[slices.IndexFunc(claims(), func(c Claim) bool { return c.ID == id })]
}

// TestScope: surrogates decide on classes only, real matrices for themselves, and surrogates fitted to the claim not
// at all.
func TestScope(t *testing.T) {
	by := func(formats, matrix string, surrogate bool, storage float64) Record {
		r := stored("formats="+formats+" matrix="+matrix, storage, 1)
		r.Matrix.Surrogate = surrogate
		return r
	}
	gain := func(matrix string, surrogate bool, storage float64) []Record {
		return list(by("AP2", matrix, surrogate, 1), by("AP4", matrix, surrogate, storage))
	}
	fitted, class, actual := gain("Emilia_923", true, 0.5), gain("Serena", true, 0.95), gain("Andrews", false, 0.8)
	for _, c := range []struct {
		list  []Record
		want  Verdict
		scope string
	}{
		{fitted, NotMeasured, ""},
		{gain("Emilia_923", false, 0.5), Holds, ""},
		{append(fitted, class...), Fails, "class only"},
		{append(class, actual...), Fails, "class only; real matrices: holds"},
		{actual, Holds, ""},
	} {
		if o := outcomeOf("ap4-ap2-storage", c.list); o.Verdict != c.want || o.Scope != c.scope || strings.Contains(o.Scope, "real") != strings.Contains(o.Data, "real matrices alone") {
			t.Errorf("%s, %q (%s), want %s, %q", o.Verdict, o.Scope, o.Data, c.want, c.scope)
		}
	}
	without := problem("GEMV", 0.5, 1)
	for i := range without {
		without[i].Matrix = nil
	}
	if o := outcomeOf("accessor-gemv", without); o.Scope != "" || o.Verdict != Holds {
		t.Error("a claim that is not about classes of matrices is judged on them")
	}
	if o := outcomeOf("ap4-ap2-storage", nil); !strings.Contains(o.Condition(), "(Emilia_923, Geo_1438)") || !strings.Contains(o.Condition(), "0.0663") {
		t.Errorf("the rule is %s", o.Condition())
	}
}

// TestUpTo: the median that a claim "up to" asks for is the fourth root of the published factor, and the largest gain
// three quarters of it.
func TestUpTo(t *testing.T) {
	for id, factor := range map[string]float64{
		"reduction": 36, "storage-99": 100, "ap4-ap2-storage": 1 / 0.76, "ap7-ap4-storage": 1 / 0.89, "ap7re-ap7-storage": 1 / 0.84,
		"time-96": 1 / 0.04, "ap4-ap2-time": 1 / 0.79, "ap7-ap4-time": 1 / 0.91, "ap7re-ap7-time": 1 / 0.87,
	} {
		c := outcomeOf(id, nil).Claim
		most, median := 0.75*(1-1/factor), 1-math.Pow(factor, -0.25)
		if c.Threshold > 1 { // a factor
			most, median = 0.75*factor, math.Pow(factor, 0.25)
		}
		if math.Abs(c.Threshold/most-1) > 0.001 || math.Abs(c.Median/median-1) > 0.005 {
			t.Errorf("%s: %g and %g, want %g and %g", id, c.Threshold, c.Median, most, median)
		}
	}
}

func TestPreferFull(t *testing.T) {
	quick := func(words string) Record {
		r := stored(words, 1, 1)
		r.Quick = true
		return r
	}
	full := stored("formats=AP2 matrix=a", 2, 2)
	other := made("solve", "matrix=a", nil)
	other.Quick = true
	got := preferFull(list(quick("formats=AP2 matrix=a"), quick("formats=AP3 matrix=a"), full, quick("formats=AP2 matrix=b"), other))
	if len(got) != 3 || got[0].Quick || got[1].Label("matrix") != "b" || got[2].Kind != "solve" {
		t.Errorf("got %+v", got)
	}
}

// TestLatest: of measurements that another commit made again, only the later counts; on another machine it is another
// measurement.
func TestLatest(t *testing.T) {
	old, again, elsewhere := stored("formats=AP2", 1, 1), stored("formats=AP2", 2, 2), stored("formats=AP2", 3, 3)
	old.Environment.Commit, again.Environment.Commit, elsewhere.Environment.Processor = "a", "b", "another"
	old.Time, again.Time = time.Unix(1, 0), time.Unix(2, 0)
	for _, l := range [][]Record{list(old, again, elsewhere), list(again, old, elsewhere)} {
		got := latest(l)
		if len(got) != 2 || got[0].Values["storage"] != 2 || got[1].Values["storage"] != 3 {
			t.Errorf("got %+v", got)
		}
	}
}

func TestPairs(t *testing.T) {
	without := stored("formats=AP4 matrix=c", 1, 1)
	delete(without.Values, "storage")
	got := pairs(list(
		stored("formats=AP2 matrix=a", 1, 1), stored("formats=AP4 matrix=b", 0.5, 1), stored("formats=AP4 matrix=a criterion=cw", 0.4, 1),
		stored("formats=AP2 matrix=b", 2, 1), stored("formats=AP2 matrix=c", 1, 1), without,
	), "product", labels{"formats": "AP2"}, labels{"formats": "AP4"}, "storage")
	if len(got) != 1 || got[0].a.Label("matrix") != "b" || got[0].ratio("storage") != 0.25 {
		t.Fatalf("got %+v", got)
	}
	if at := where(append(got, pair{stored("", 1, 1), stored("matrix=z", 0.1, 1)}), "storage"); at != "z* at 2^-24" {
		t.Errorf("the least is at %s", at)
	}
}

func TestSpread(t *testing.T) {
	if s := spreadOf([]float64{3, 1, 2}); s.n != 3 || s.least != 1 || s.most != 3 || s.median < 1 || s.median > 2 {
		t.Errorf("got %+v", s)
	}
	s := spreadOf([]float64{5, 1, 2, 4, 3})
	if !(s.least <= s.first && s.first < s.median && s.median < s.third && s.third <= s.most) {
		t.Errorf("got %+v", s)
	}
	if s := spreadOf(nil); s.n != 0 || !math.IsNaN(s.median) || s.below(1) != NotMeasured {
		t.Errorf("of nothing: %+v", s)
	}
	for limit, want := range map[float64]Verdict{9: Holds, s.third: Partly, s.median: Fails} {
		if got := s.below(limit); got != want {
			t.Errorf("below %g: %s, want: %s", limit, got, want)
		}
	}
}

// cestac returns a solve with random rounding: digits counted, and correct ones.
func cestac(tolerance string, counted, right float64) Record {
	return made("stochastic", fmt.Sprintf("matrix=m%g tolerance=%s", counted, tolerance), numbers{"converged": 1, "cestac_digits": counted, "right_digits": right})
}

// promise returns a search for formats: whether residuals stay in FP64, the share of the rest that stays in FP64, and
// the bytes moved.
func promise(residuals, rest, moved float64) Record {
	return made("formats", fmt.Sprintf("matrix=m%g tolerance=1e-10", rest), numbers{"fp64_residuals": residuals, "fp64_rest": rest, "moved_fp64": moved})
}
