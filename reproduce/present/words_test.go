package present

import (
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

func TestLatexText(t *testing.T) {
	for text, want := range map[string]string{
		"A_DGO3 & 5 %":     `A\_DGO3 \& 5 \%`,
		"1.2e-10":          `$1.2\cdot10^{-10}$`,
		"~3.0e+05 at 2^-7": `$\approx$$3.0\cdot10^{5}$ at $2^{-7}$`,
		"1.0e+00":          `$1.0\cdot10^{0}$`,
		"e20r0000":         `e20r0000`,
		`a\b{c}^#$`:        `a\textbackslash{}b\{c\}\textasciicircum{}\#\$`,
		"– ε":              `-- $\varepsilon$`,
	} {
		if got := latexText(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		format records.Format
		x      float64
		want   string
	}{
		{records.Percent, 0.605, "60.5"},
		{records.Count, 12345, "12345"},
		{records.Scientific, 1.23e-10, "1.2e-10"},
		{records.YesNo, 1, "yes"},
		{records.YesNo, 0, "no"},
		{records.Fixed, 0, "0.00"},
		{records.Fixed, 1.234, "1.23"},
		{records.Fixed, 65.69, "65.7"},
		{records.Fixed, 12345, "12345"},
		{records.Fixed, 0.01234, "0.0123"},
		{records.Fixed, 1.2e-5, "1.2e-05"},
		{records.Fixed, math.NaN(), missing},
	} {
		if got := format(records.Value{Format: c.format}, c.x); got != c.want {
			t.Errorf("format %d of %v: got %s, want %s", c.format, c.x, got, c.want)
		}
	}
}
