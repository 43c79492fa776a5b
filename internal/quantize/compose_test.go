package quantize

import (
	"strings"
	"testing"
)

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
