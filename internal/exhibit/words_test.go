package exhibit

import (
	"bytes"
	"math"
	"testing"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/records"
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

func TestSuperscripts(t *testing.T) {
	if got, want := superscripts("AFX 2^-53"), "AFX 2⁻⁵³"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := power("2^-53"); got != 0x1p-53 {
		t.Errorf("got %v, want 2^-53", got)
	}
}

// TestDrawLittle draws figures of nothing, of one point, and of zeros on a
// logarithmic axis.
func TestDrawLittle(t *testing.T) {
	zero := product("a", "AFX", "2^-24", 0)
	zero.Values["error"] = 0
	for _, list := range [][]records.Record{nil, {product("a", "AFX", "2^-24", 1)}, {zero}} {
		for _, kind := range []string{experiments.Bars, experiments.Points, experiments.Lines, experiments.Stack, experiments.History} {
			f := experiments.Figure{
				Kind: kind, X: experiments.Axis{Series: "iteration", Log: kind == experiments.Lines},
				Y: experiments.Axis{Series: "residual"},
			}
			v := experiments.View{Rows: []string{"epsilon"}, Columns: []string{"formats"}, Values: []string{"error", "seconds"}, Figure: &f}
			table := Pivot(products(), v, list)
			var b bytes.Buffer
			if err := Draw(&table, f, &b, SVG); err != nil {
				t.Errorf("%s of %d records: %v", kind, len(list), err)
			}
		}
	}
	table := Pivot(products(), experiments.View{}, nil)
	if err := Draw(&table, experiments.Figure{}, &bytes.Buffer{}, "pdf"); err == nil {
		t.Error("drew a PDF")
	}
	s := table.Sheet()
	if err := s.Write(&bytes.Buffer{}, "pdf"); err == nil {
		t.Error("wrote a PDF")
	}
}
