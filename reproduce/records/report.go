package records

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/host"
)

// Report holds everything measured so far: each experiment with its tables and figures, the claims of the papers with
// verdicts, and what was not measured and why.
type Report struct {
	Environments []environment // the most used first
	Claims       []Outcome
	Finding      *Outcome // what the first page begins with; nil: it was not measured
	Lacking      []common // what several experiments lack, and why
	Experiments  []section
	Expected     map[string]Expected // by ID, and of all together by "all"; may be nil

	first, last time.Time // of the measurements
}

// environment is an environment of measurements.
type environment struct {
	host.Environment
	Measurements int
	First        time.Time
}

// Expected has estimates of how long the measurements of a quick run and of a full run take.
type Expected struct{ Quick, Full time.Duration }

// section is an experiment with its views.
type section struct {
	Experiment
	Lacking []string // what was not measured, and why
	Views   []view
}

// view is a table, a comparison with published values, and a figure.
type view struct {
	Sheets     []sheet
	Figure     template.HTML // SVG; "" if there is none
	FigureFile string        // file name in the folder of the page
	Title      string        // "": the title of the experiment

	Front     int           // number on the first page; 0: not there
	Narrow    template.HTML // the figure of the first page
	Agreement string        // of measured with published values
	Notes     []string      // of the figure of the first page
}

// NewReport makes the report of completed experiments; lacking describes, by ID, which of their measurements are
// missing.
func NewReport(list []Experiment, measured []Record, lacking map[string][]string) (*Report, error) {
	r := &Report{Environments: environments(measured), Claims: judge(measured), Finding: finding(measured)}
	for _, e := range list {
		s := section{Experiment: e, Lacking: lacking[e.ID]}
		for _, v := range e.Views {
			t := newTable(e, v, measured)
			if !t.measured() {
				continue
			}
			shown, err := newView(&t)
			if err != nil {
				return nil, fmt.Errorf("%s: view %s: %w", e.ID, v.Name, err)
			}
			s.Views = append(s.Views, shown)
		}
		r.Experiments = append(r.Experiments, s)
	}
	r.gatherLacking()
	r.setPeriod(measured)
	return r, nil
}

func newView(t *table) (v view, err error) {
	v.Sheets = t.sheets()
	if t.View.Title != t.Experiment.Title {
		v.Title = t.View.Title
	}
	if t.View.Figure == nil {
		return v, nil
	}
	g := t.figure()
	if v.Figure, err = inline(g); err != nil {
		return v, err
	}
	v.FigureFile = t.name() + "." + SVG
	if v.Front = t.View.Figure.Front; v.Front > 0 {
		v.Notes = slices.DeleteFunc(slices.Clone(t.Notes), func(n string) bool { return strings.ContainsAny(n[:1], "*[(~") }) // marks of tables
		if len(v.Sheets) > 1 {
			v.Agreement = v.Sheets[1].agreement()
		}
		g.Narrow = true
		v.Narrow, err = inline(g)
	}
	return v, err
}

// inline returns a figure as an element of a page, without the preamble of a file.
func inline(g *Chart) (template.HTML, error) {
	var svg bytes.Buffer
	err := g.Write(&svg, SVG)
	_, element, _ := strings.Cut(svg.String(), "<svg")
	return template.HTML("<svg" + element), err
}

func environments(list []Record) (found []environment) {
	for _, r := range list {
		i := slices.IndexFunc(found, func(e environment) bool { return e.Environment == r.Environment })
		if i < 0 {
			i = len(found)
			found = append(found, environment{Environment: r.Environment, First: r.Time})
		}
		found[i].Measurements++
		if r.Time.Before(found[i].First) {
			found[i].First = r.Time
		}
	}
	slices.SortStableFunc(found, func(a, b environment) int {
		if a.Measurements != b.Measurements {
			return b.Measurements - a.Measurements
		}
		return a.First.Compare(b.First)
	})
	return found
}

// Tally counts the claims by verdict, in words, and those with a verdict on classes only.
func (r *Report) Tally() string {
	var words []string
	for _, c := range tally(r.Claims) {
		words = append(words, fmt.Sprintf("%q %d", c.Verdict, c.Count))
	}
	class := 0
	for _, c := range r.Claims {
		class += count(c.Scope != "")
	}
	return fmt.Sprintf("%s; %d on classes only", strings.Join(words, ", "), class)
}

//go:embed page.html
var htmlPage string

//go:embed page.md
var markdownPage string

var htmlTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page.html").Funcs(template.FuncMap{
		"sheet": func(s sheet) (template.HTML, error) {
			text, err := rendered(s.html)
			return template.HTML(text), err // its words are escaped already
		},
		"size": size, "join": strings.Join, "cited": cited, "tally": tally, "title": title, "sentence": sentence, "about": About,
		"inc": func(i int) int { return i + 1 },
	}).Parse(htmlPage))
})

var markdownTemplate = sync.OnceValue(func() *texttemplate.Template {
	return texttemplate.Must(texttemplate.New("page.md").Funcs(texttemplate.FuncMap{
		"sheet": func(s sheet) (string, error) { return rendered(s.markdown) },
		"size":  size, "join": strings.Join,
		"cell": func(text string) string { return strings.ReplaceAll(text, "|", `\|`) },
		"text": markdownText,
	}).Parse(markdownPage))
})

// Pages iterates over the names of the pages, all in the folder of the files of tables and figures (see Write), and what
// writes them: report.html with the verdicts and the figures of the first page, verdicts.html with their rules,
// artifact.html, a page for each experiment, and report.md.
func (r *Report) Pages() iter.Seq2[string, func(io.Writer) error] {
	html := func(name string, data any) func(io.Writer) error {
		return func(w io.Writer) error { return htmlTemplate().ExecuteTemplate(w, name, data) }
	}
	return func(yield func(string, func(io.Writer) error) bool) {
		for _, name := range []string{"report", "verdicts", "artifact"} {
			if !yield(name+".html", html(name, r)) {
				return
			}
		}
		for i := range r.Experiments {
			if !yield(r.Experiments[i].ID+".html", html("experiment", r.about(i))) {
				return
			}
		}
		yield("report.md", r.Markdown)
	}
}

// Markdown writes a page that refers to the figures as files in its folder.
func (r *Report) Markdown(w io.Writer) error { return markdownTemplate().Execute(w, r) }

// EnvironmentsMarkdown writes a table of the machines of the measurements.
func (r *Report) EnvironmentsMarkdown(w io.Writer) error {
	return markdownTemplate().ExecuteTemplate(w, "environments", r)
}

// ClaimsMarkdown writes the verdicts, a table for each paper.
func (r *Report) ClaimsMarkdown(w io.Writer) error {
	return markdownTemplate().ExecuteTemplate(w, "claims", r)
}

func rendered(write func(io.Writer) error) (string, error) {
	var b bytes.Buffer
	err := write(&b)
	return b.String(), err
}

// size formats a number of bytes.
func size(n int64) string {
	if n == 0 {
		return "unknown"
	}
	return humanize.IBytes(uint64(n))
}

// About returns a duration in seconds or minutes, for people.
func About(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.0f s", max(d.Seconds(), 1))
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// sentence capitalises the first letter.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
