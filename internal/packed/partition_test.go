package packed

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

func set(t testing.TB, name string) Set {
	t.Helper()
	s, err := LookupSet(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// formatOf returns the format in which the spec stores an element of magnitude a in a matrix of norm 1, "" if it
// drops the element.
func formatOf(t *testing.T, s Spec, a float64) string {
	t.Helper()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	theta := s.Epsilon
	if !s.PaperExact {
		theta = math.Ldexp(1, -s.unitBits())
	}
	p := newPartition(s, &Tolerances{Exp: []int32{0}, Theta: []float64{theta}})
	bucket := make([]int8, 2)
	p.Assign(bucket, 0, []int32{1, 2}, []float64{a, 100}) // which is not the largest element of its row
	if bucket[0] == None {
		return ""
	}
	return p.Codecs[bucket[0]].Name
}

// TestPaperIntervals checks the intervals of the papers' tables at their ends: epsilon' = epsilon ||A|| with ||A|| =
// 1. Full exponents: (lo, hi], reduced ones: [lo, hi).
func TestPaperIntervals(t *testing.T) {
	const eps = 0x1.5p-50 // not a power of two
	up := func(v float64) float64 { return math.Nextafter(v, 2) }
	down := func(v float64) float64 { return math.Nextafter(v, 0) }
	type interval struct {
		format string
		top    int // log2 of the upper end over epsilon'
	}
	for _, c := range []struct {
		set       string
		intervals []interval
	}{
		{"AP2", []interval{{"", 0}, {"FP32", 24}, {"FP64", 48}}},
		{"AP3", []interval{{"", 0}, {"BF16", 8}, {"FP32", 24}, {"FP64", 48}}},
		{"AP4", []interval{{"", 0}, {"RP16", 8}, {"FP32", 24}, {"RP48", 37}, {"FP64", 48}}},
		{"AP7", []interval{{"", 0}, {"RP16", 8}, {"RP24", 16}, {"FP32", 24}, {"RP40", 29}, {"RP48", 37}, {"RP56", 45}, {"FP64", 48}}},
		{"AP7RE", []interval{{"", 0}, {"RPRE8", 5}, {"RPRE16", 13}, {"FP32", 24}, {"RPRE32", 29}, {"RPRE40", 37}, {"RPRE48", 45}, {"FP64", 48}}},
		{"AP7REU", []interval{{"", 0}, {"RPREU8", 6}, {"RPREU16", 14}, {"FP32", 24}, {"RPREU32", 30}, {"RPREU40", 38}, {"RPREU48", 46}, {"FP64", 48}}},
	} {
		s := Spec{Set: set(t, c.set), Epsilon: eps, PaperExact: true}
		for k, i := range c.intervals[:len(c.intervals)-1] {
			end, above := math.Ldexp(eps, i.top), c.intervals[k+1].format
			at := i.format
			if s.Set.kind() == relative {
				at = above
			}
			for _, e := range []struct {
				a    float64
				want string
			}{{down(end), i.format}, {end, at}, {up(end), above}} {
				if got := formatOf(t, s, e.a); got != e.want {
					t.Errorf("%s: %g epsilon' is in %q, want %q", c.set, e.a/eps, got, e.want)
				}
			}
		}
	}
}

// The papers drop everything that is at most epsilon T, our own mode keeps the diagonal and the largest element of a
// row. The papers cast to FP32, which rounds, but truncate to other formats.
func TestPaperExactRow(t *testing.T) {
	for _, exact := range []bool{false, true} {
		s := Spec{Set: set(t, "AP4"), Epsilon: 0x1p-20, PaperExact: exact}
		p := newPartition(s, &Tolerances{Exp: []int32{0}, Theta: []float64{s.Epsilon}})
		bucket := make([]int8, 3)
		p.Assign(bucket, 0, []int32{0, 1, 2}, []float64{0x1p-40, 0x1p-30, 0x1p-41})
		for k, kept := range []bool{!exact, !exact, false} {
			if got := bucket[k] != None; got != kept {
				t.Errorf("paper-exact %v: element %d stored %v, want %v", exact, k, got, kept)
			}
		}
		for _, c := range p.Codecs {
			if got, want := c.Truncates, exact && c.Name != "FP32"; got != want {
				t.Errorf("paper-exact %v: %s truncates %v, want %v", exact, c.Name, got, want)
			}
		}
	}
}

// The thesis casts to FP32, by rounding, before it chops to FP24 and BF16, so that an element just below a power of two
// becomes that power; prefixes of FP64 are chopped at once, and our own mode rounds once.
func TestPaperExactSingle(t *testing.T) {
	const up, down = 1 - 0x1p-30, 1 - 0x1p-24 // to FP32: 1, and a number of FP32
	for _, c := range []struct {
		format    string
		exact     bool
		up, below float64 // what up and down are stored as
	}{
		{"RP16", true, 1, 1 - 0x1p-8},
		{"RP24", true, 1, 1 - 0x1p-16},
		{"RP40", true, 1 - 0x1p-29, 1 - 0x1p-24},
		{"RP16", false, 1, 1},
	} {
		p := newPartition(Spec{Set: set(t, c.format), PaperExact: c.exact}, &Tolerances{})
		code, got := make([]byte, 2*p.Codecs[0].Bytes+formats.Padding), make([]float64, 2)
		if err := p.Codecs[0].Encode(code, []float64{p.Class(0).Value(up, 1), -p.Class(0).Value(down, 1)}); err != nil {
			t.Fatal(err)
		}
		if p.Codecs[0].Decode(got, code); got[0] != c.up || got[1] != -c.below {
			t.Errorf("%s, paper-exact %v: stored as %v, want %v and %v", c.format, c.exact, got, c.up, -c.below)
		}
	}
	// Above the numbers of FP32 the cast would overflow, so that the next wider format takes the element.
	p := newPartition(Spec{Set: set(t, "AP7"), Epsilon: 0x1p-53, PaperExact: true}, &Tolerances{})
	for k := range p.classes {
		if c := &p.classes[k]; c.codec.Kind == formats.Head32 && c.codec.Name != "FP32" && c.holds(0x1.ffffffp127, 1, 1) {
			t.Errorf("%s takes what rounds to infinity in FP32", c.codec.Name)
		}
	}
}

// Our own rule: below 2 theta / u, with theta = 2^-c.
func TestOwnIntervals(t *testing.T) {
	s := Spec{Set: set(t, "AP7"), Epsilon: 0x1p-40}
	for _, c := range []struct {
		a    float64
		want string
	}{
		{0x1p-40 - 0x1p-93, ""},
		{0x1p-40, "RP16"},
		{0x1p-31 - 0x1p-84, "RP16"},
		{0x1p-31, "RP24"},
		{0x1p-15 - 0x1p-68, "FP32"},
		{0x1p-15, "RP40"},
		{0x1p-10, "RP48"},
		{0x1p-2, "RP56"},
		{1, "RP56"},
	} {
		if got := formatOf(t, s, c.a); got != c.want {
			t.Errorf("%g is in %q, want %q", c.a, got, c.want)
		}
	}
	afx := Spec{Set: set(t, "AFX"), Epsilon: 0x1p-40} // quantum 2^-39
	for _, c := range []struct {
		a    float64
		want string
	}{
		{0x1p-40, ""}, // a tie to 0
		{0x1.01p-40, "AFX8"},
		{127 * 0x1p-39, "AFX8"},
		{128 * 0x1p-39, "AFX16"},
		{-128 * 0x1p-39, "AFX8"},
		{-129 * 0x1p-39, "AFX16"},
		{127.5 * 0x1p-39, "AFX16"}, // rounds to 128
		{1, "AFX48"},
	} {
		if got := formatOf(t, afx, c.a); got != c.want {
			t.Errorf("AFX: %g is in %q, want %q", c.a, got, c.want)
		}
	}
}

func TestParseEpsilon(t *testing.T) {
	for text, want := range map[string]float64{"1e-7": 1e-7, "2^-24": 0x1p-24, "2^-53": 0x1p-53, "0.5": 0.5} {
		if got, err := ParseEpsilon(text); got != want || err != nil {
			t.Errorf("%s: %g, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "1", "0", "-1e-7", "2^-54", "2^0", "2^x", "nan", "inf", "2^-24 "} {
		if v, err := ParseEpsilon(text); err == nil {
			t.Errorf("%q is %g", text, v)
		}
	}
}

func TestLookupSet(t *testing.T) {
	if s, err := LookupSet("rpre16"); err != nil || !s.Uniform || s.Name != "RPRE16" {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := LookupSet("AP8"); err == nil || !strings.Contains(err.Error(), "did you mean AP") {
		t.Errorf("got %v", err)
	}
	for _, n := range Names() {
		if _, err := LookupSet(n); err != nil {
			t.Error(err)
		}
	}
}

func TestCompose(t *testing.T) {
	for list, want := range map[string]struct {
		formats string
		keeps   bool
	}{
		"FP64,FP32,RPRE24,drop": {"FP64 FP32 RPRE24", false},
		"fp32, fp64":            {"FP64 FP32", true},
		"FP32+FP16+FP64+drop":   {"FP64 FP32 FP16", false},
		"FP8E5M2+FP8E4M3,FP64":  {"FP64 FP8E4M3 FP8E5M2", true},
		"drop,BF16,FP64":        {"FP64 BF16", false},
		"FP64,RPRE48,RPRE40,RPRE32,FP32,RPRE24,RPRE16,RPRE8,drop": {"FP64 RPRE48 RPRE40 RPRE32 FP32 RPRE24 RPRE16 RPRE8", false},
		"FP64,RPREU48,RPREU40,RPREU32,RPREU24,RPREU16,RPREU8":     {"FP64 RPREU48 RPREU40 RPREU32 RPREU24 RPREU16 RPREU8", true},
		"FP64,FP32,RPRE24,RPRE16,RPRE8,drop":                      {"FP64 FP32 RPRE24 RPRE16 RPRE8", false},
	} {
		s, err := LookupSet(list)
		if err != nil {
			t.Errorf("%s: %v", list, err)
			continue
		}
		var names []string
		for _, f := range s.Formats {
			names = append(names, f.Name)
		}
		name := strings.Join(names, ",")
		if !want.keeps {
			name += ",drop"
		}
		if got := strings.Join(names, " "); got != want.formats || s.Keeps != want.keeps || s.Uniform || s.Name != name {
			t.Errorf("%s: %+v", list, s)
		}
	}
	for list, want := range map[string]string{
		"FP32,drop":       "want FP64",
		"drop,":           "unknown format",
		"FP64,FP33":       "did you mean FP32",
		"FP64,AFX16":      "part of the set AFX",
		"FP64,RP16,BF16":  "the same significand",
		"FP64,FP64":       "the same significand",
		"FP64,FP32,FP32,": "unknown format",
	} {
		if _, err := LookupSet(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", list, err, want)
		}
	}
}

// An element below the range of a reduced exponent goes to the next format that has the range.
func TestBelowReducedExponent(t *testing.T) {
	for _, exact := range []bool{false, true} {
		s := Spec{Set: set(t, "FP64,FP32,RPRE24,drop"), Epsilon: 0x1p-40, PaperExact: exact}
		for _, c := range []struct {
			a    float64
			want string
		}{
			{0x1p-41, ""},
			{0x1.8p-40, "FP32"},
			{0x1.8p-28, "FP32"},
			{0x1.8p-26, "RPRE24"},
			{0x1.8p-20, "RPRE24"},
			{0x1.8p-18, "FP32"},
			{0x1.8p-10, "FP64"},
		} {
			if got := formatOf(t, s, c.a); got != c.want {
				t.Errorf("paper-exact %v: %g is in %q, want %q", exact, c.a, got, c.want)
			}
		}
	}
}

// The tolerances have the same bits for any number of threads.
func TestThreads(t *testing.T) {
	m, err := generate.Generate("powerlaw", generate.Params{"n": 20000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Criteria {
		var want *Tolerances
		for _, threads := range []int{1, 2, 5} {
			pool := parallel.New(threads)
			p, err := NewPartition(m, Spec{Set: set(t, "AFX"), Epsilon: 0x1p-30, Criterion: c}, csr.Panels(m), pool)
			pool.Close()
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = p.Tol
			}
			if !slices.Equal(p.Tol.Exp, want.Exp) || !slices.Equal(p.Tol.Theta, want.Theta) {
				t.Errorf("%s: other tolerances with %d threads", c, threads)
			}
		}
	}
}
