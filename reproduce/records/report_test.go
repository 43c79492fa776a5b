package records

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
)

var loads = regexp.MustCompile(`(?i)<(link|script|iframe|img|image|object)\b|\b(src|xlink:href)="[^#"]|url\(|@import`)

// TestHTML: the page is one file that loads no other, every tag is closed, every experiment, figure and claim is
// there, and every link has a target.
func TestHTML(t *testing.T) {
	r := report(t)
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if at := loads.FindStringIndex(page); at != nil {
		t.Errorf("the page loads something: %q", page[at[0]:min(at[1]+60, len(page))])
	}
	wellFormed(t, page)
	for _, e := range r.Experiments {
		if !strings.Contains(page, ` id="`+e.ID+`"`) || !strings.Contains(page, `href="#`+e.ID+`"`) {
			t.Errorf("%s is not on the page, or not in its contents", e.ID)
		}
	}
	figures := 0
	for _, e := range r.Experiments {
		for _, x := range e.Views {
			if x.Figure != "" {
				figures++
			}
		}
	}
	if got := strings.Count(page, "<svg"); got != figures || figures < 20 {
		t.Errorf("%d figures on the page, want %d", got, figures)
	}
	words := html.UnescapeString(page)
	for _, c := range r.Claims {
		if !strings.Contains(words, c.Statement) || !strings.Contains(page, string(c.Verdict)) {
			t.Errorf("the claim %s or its verdict is not on the page", c.ID)
		}
	}
	if !strings.Contains(page, "<th>statement</th><th>verdict</th>") {
		t.Error("the verdict is not beside its statement, where a narrow window shows it")
	}
	if !strings.Contains(page, "no meter") {
		t.Error("the page does not tell why there is no energy")
	}
	there := reportFiles(t)
	for _, m := range regexp.MustCompile(`\bhref="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		anchor, internal := strings.CutPrefix(m[1], "#")
		if internal && strings.Count(page, ` id="`+anchor+`"`) != 1 || !internal && !there[m[1]] {
			t.Errorf("the link to %s leads nowhere, or to several places", m[1])
		}
	}
	for _, words := range []string{"Measured 20", "R. Molina", `<dt id="Molina24">`, "mpsolve reproduce thesis-fig-3.3"} {
		if !strings.Contains(page, words) {
			t.Errorf("%q is not on the page", words)
		}
	}
}

// reportFiles returns the names of the files beside the page of a report.
func reportFiles(t *testing.T) map[string]bool {
	t.Helper()
	there := map[string]bool{"measurements.jsonl": true, "report.md": true}
	list := readRecords(t, "measurements.jsonl")
	for _, e := range completed(t) {
		for name := range filesOf(e, list) {
			there[name] = true
		}
	}
	return there
}

// A lack of many experiments is reported once.
func TestLackingOnce(t *testing.T) {
	quick := "a full run; these are measurements of a quick one"
	lacking := map[string][]string{}
	list := completed(t)
	for _, e := range list[1:] {
		lacking[e.ID] = []string{quick}
	}
	lacking[list[1].ID] = []string{quick, "one matrix"}
	r, err := NewReport(list, readRecords(t, "measurements.jsonl"), lacking)
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range []func(io.Writer) error{r.HTML, r.Markdown} {
		var page strings.Builder
		if err := write(&page); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(page.String(), "these are measurements of a quick one"); got != 1 {
			t.Errorf("said %d times, want once", got)
		}
		if !strings.Contains(page.String(), "Not measured: one matrix.") {
			t.Error("what one experiment lacks is not on the page")
		}
	}
	if got := len(lacking[list[1].ID]); got != 2 {
		t.Errorf("the caller's list was changed to %d lines", got)
	}
}

func TestPlaces(t *testing.T) {
	for source, want := range map[string]string{
		"Figures 3.2 and 4.5":                          "figure 3.2,figure 4.5",
		"section 3.4.3, figures 3.2 and 4.4":           "figure 3.2,figure 4.4",
		"section 6.1, figures 9 to 11":                 "figure 9,figure 10,figure 11",
		"Figures 9, 10 and A1":                         "figure 9,figure 10,figure A1",
		"Figures 6, 7 and 8, top":                      "figure 6,figure 7,figure 8",
		"sections 3.5.3 and 3.6":                       "section 3.5.3,section 3.6",
		"Figures of slides 23, 30 and 32 to 34":        "slide 23,slide 30,slide 32,slide 33,slide 34",
		"remark 3.3, eq. (3.25)":                       "remark 3.3",
		"Table of a band matrix (slide 31), Summary":   "slide 31",
		"PROMISE, applied to refinement, perspectives": "",
	} {
		if got := strings.Join(places(source), ","); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

// wellFormed reads HTML as lenient XML.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	tags := xml.NewDecoder(strings.NewReader(page))
	tags.Strict, tags.Entity = false, xml.HTMLEntity
	tags.AutoClose = xml.HTMLAutoClose
	var open []string
	for {
		token, err := tags.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tag := token.(type) {
		case xml.StartElement:
			open = append(open, tag.Name.Local)
		case xml.EndElement:
			if last := len(open) - 1; last < 0 || open[last] != tag.Name.Local {
				t.Fatalf("</%s> ends %v", tag.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v is left open", open)
	}
}

// Names of user experiments and errors with file names add no markup to report.md.
func TestMarkdownText(t *testing.T) {
	got := markdownText("<script>`a`|*b*\n# c\x1b[31m")
	if want := "\\<script>\\`a\\`|\\*b\\* # c\ufffd\\[31m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r := Report{Experiments: []section{{Lacking: []string{"open a<b>\n## c.mtx: no such file"}}}}
	var b strings.Builder
	if err := r.Markdown(&b); err != nil || !strings.Contains(b.String(), "Not measured: open a\\<b> ## c.mtx: no such file.") {
		t.Errorf("%v, %s", err, b.String())
	}
}

// Every paper has a title in the bibliography.
func TestTitles(t *testing.T) {
	for _, c := range claims() {
		if got := title(c.Paper); len(got) < 20 || strings.Contains(got, "[") {
			t.Errorf("%s: title %q", c.Paper, got)
		}
	}
	if got, want := title("Molina24"), "Mixed precision for High Performance Computing, application to low energy gamma radiation measurements"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

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
		format Format
		x      float64
		want   string
	}{
		{Percent, 0.605, "60.5"},
		{Count, 12345, "12345"},
		{Scientific, 1.23e-10, "1.2e-10"},
		{YesNo, 1, "yes"},
		{YesNo, 0, "no"},
		{Fixed, 0, "0.00"},
		{Fixed, 1.234, "1.23"},
		{Fixed, 65.69, "65.7"},
		{Fixed, 12345, "12345"},
		{Fixed, 0.01234, "0.0123"},
		{Fixed, 1.2e-5, "1.2e-05"},
		{Fixed, math.NaN(), missing},
	} {
		if got := format(Value{Format: c.format}, c.x); got != c.want {
			t.Errorf("format %d of %v: got %s, want %s", c.format, c.x, got, c.want)
		}
	}
}
