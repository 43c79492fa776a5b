package records

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
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
	Lacking      []common // what several experiments lack, and why
	Experiments  []section

	first, last time.Time // of the measurements
}

// environment is an environment of measurements.
type environment struct {
	host.Environment
	Measurements int
	First        time.Time
}

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
}

// NewReport makes the report of completed experiments; lacking describes, by ID, which of their measurements are
// missing.
func NewReport(list []Experiment, measured []Record, lacking map[string][]string) (*Report, error) {
	r := &Report{Environments: environments(measured), Claims: judge(measured)}
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
	var svg bytes.Buffer
	if err := t.figure().Write(&svg, SVG); err != nil {
		return v, err
	}
	_, element, _ := strings.Cut(svg.String(), "<svg") // without the preamble of a file
	v.Figure, v.FigureFile = template.HTML("<svg"+element), t.name()+"."+SVG
	return v, nil
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

// ClaimsByPaper returns the claims by the key of their paper.
func (r *Report) ClaimsByPaper() map[string][]Outcome {
	papers := map[string][]Outcome{}
	for _, c := range r.Claims {
		papers[c.Paper] = append(papers[c.Paper], c)
	}
	return papers
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
		"size": size, "join": strings.Join, "cited": cited, "tally": tally, "title": title, "sentence": sentence,
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

// HTML writes a self-contained page that links to the files of tables and figures in its folder, see Write.
func (r *Report) HTML(w io.Writer) error { return htmlTemplate().Execute(w, r) }

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

// sentence capitalises the first letter.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
