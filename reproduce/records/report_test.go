package records

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

var loads = regexp.MustCompile(`(?i)<(link|script|iframe|img|image|object)\b|\b(src|xlink:href)="[^#"]|url\(|@import`)

// pages writes all pages of a report, by name.
func pages(t *testing.T, r *Report) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, write := range r.Pages() {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = b.String()
	}
	return all
}

// TestPages: no page loads another file, every tag is closed, every experiment, figure and claim is there, and every link has
// a target.
func TestPages(t *testing.T) {
	r := report(t)
	all := pages(t, r)
	there := reportFiles(t)
	linked := map[string]bool{"report.html": true}
	for name, page := range all {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		if at := loads.FindStringIndex(page); at != nil {
			t.Errorf("%s loads something: %q", name, page[at[0]:min(at[1]+60, len(page))])
		}
		wellFormed(t, page)
		for _, m := range regexp.MustCompile(`\bhref="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			linked[file] = true
			target, isPage := all[cmp.Or(file, name)]
			if !isPage && !there[file] || anchor != "" && strings.Count(target, ` id="`+anchor+`"`) != 1 {
				t.Errorf("%s: the link to %s leads nowhere, or to several places", name, m[1])
			}
		}
	}
	for name := range all {
		if !linked[name] {
			t.Errorf("no link leads to %s", name)
		}
	}
	for _, e := range r.Experiments {
		figures := 0
		for _, x := range e.Views {
			figures += count(x.Figure != "")
		}
		if got := strings.Count(all[e.ID+".html"], "<svg"); got != figures {
			t.Errorf("%s: %d figures on the page, want %d", e.ID, got, figures)
		}
	}
	for name, words := range map[string][]string{
		"report.html":         {"Measured 20", "<th>statement</th><th>verdict</th>"},
		"energy.html":         {"no meter"},
		"artifact.html":       {"R. Molina", `<dt id="Molina24">`, "mpsolve reproduce", "Intel", "3 min", "120 min"},
		"thesis-fig-3.3.html": {"mpsolve reproduce thesis-fig-3.3"},
	} {
		for _, w := range words {
			if !strings.Contains(all[name], w) {
				t.Errorf("%q is not on %s", w, name)
			}
		}
	}
}

// TestFirstPage: it has every claim with its verdict, begins with the finding, and has ten figures with published values.
func TestFirstPage(t *testing.T) {
	r := report(t)
	page := pages(t, r)["report.html"]
	words := html.UnescapeString(page)
	for _, c := range r.Claims {
		if !strings.Contains(words, c.Statement) || !strings.Contains(page, string(c.Verdict)) {
			t.Errorf("the claim %s or its verdict is not on the page", c.ID)
		}
	}
	if got := strings.Count(page, "<svg"); got != mostFigures {
		t.Errorf("%d figures, want %d", got, mostFigures)
	}
	for i, f := range r.Figures() {
		if !strings.Contains(string(f.Narrow), ">published<") {
			t.Errorf("figure %d, %s: no published values in the legend", i+1, f.FigureFile)
		}
		if f.Agreement == "" {
			t.Errorf("figure %d, %s: its caption has no numbers", i+1, f.FigureFile)
		}
	}
	first, figures := strings.Index(page, `id="finding"`), strings.Index(page, `id="figures"`)
	if first < 0 || figures < first {
		t.Errorf("the finding at %d, the figures at %d", first, figures)
	}
	if r.Finding = finding(nil); r.Finding != nil || strings.Contains(pages(t, r)["report.html"], `id="finding"`) {
		t.Error("the page has a finding that was not measured")
	}
}

// TestTicks: axes of figures have at least three numbers.
func TestTicks(t *testing.T) {
	list := readRecords(t, "measurements.jsonl")
	for _, e := range completed(t) {
		for _, v := range e.Views {
			g := ChartOf(e, v, list)
			if g == nil {
				continue
			}
			for _, p := range g.panels {
				q := g.plot(p, true, true)
				axes := map[string]plot.Axis{"y": q.Y}
				if g.Kind == History {
					axes["x"] = q.X
				}
				for name, a := range axes {
					labelled := 0
					for _, tick := range a.Tick.Marker.Ticks(a.Min, a.Max) {
						labelled += count(tick.Label != "" && tick.Value >= a.Min-1e-9 && tick.Value <= a.Max+1e-9)
					}
					if labelled < 3 {
						t.Errorf("%s-%s, %q: %d numbers on the axis of %s from %g to %g", e.ID, v.Name, p.Title, labelled, name, a.Min, a.Max)
					}
				}
			}
		}
	}
}

// reportFiles returns the names of the files beside the page of a report.
func reportFiles(t *testing.T) map[string]bool {
	t.Helper()
	there := map[string]bool{"measurements.jsonl": true}
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
	all := pages(t, r)
	for name, page := range map[string]string{"artifact.html": all["artifact.html"], "report.md": all["report.md"]} {
		if got := strings.Count(page, "these are measurements of a quick one"); got != 1 {
			t.Errorf("%s: said %d times, want once", name, got)
		}
	}
	for _, name := range []string{list[1].ID + ".html", "report.md"} {
		if !strings.Contains(all[name], "Not measured: one matrix.") {
			t.Errorf("%s: what one experiment lacks is not on the page", name)
		}
	}
	if strings.Contains(all[list[1].ID+".html"], quick) {
		t.Error("what many lack is on the page of one")
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
