package dossier

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"strings"
	texttemplate "text/template"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/exhibit"
)

//go:embed page.html
var htmlPage string

//go:embed page.md
var markdownPage string

// HTML writes a page that needs no other file.
func (d Dossier) HTML(w io.Writer) error {
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"sheet": func(s *exhibit.Sheet) (template.HTML, error) {
			text, err := rendered(s, exhibit.HTML)
			return template.HTML(text), err // escapes its words itself
		},
		"size": size, "join": strings.Join,
	}).Parse(htmlPage)
	if err != nil {
		return err
	}
	return t.Execute(w, d)
}

// Markdown writes a page that names the figures as files beside it.
func (d Dossier) Markdown(w io.Writer) error { return d.markdown(w, "page.md") }

// EnvironmentsMarkdown writes where was measured, a table.
func (d Dossier) EnvironmentsMarkdown(w io.Writer) error { return d.markdown(w, "environments") }

// ClaimsMarkdown writes the verdicts, a table for each paper.
func (d Dossier) ClaimsMarkdown(w io.Writer) error { return d.markdown(w, "claims") }

func (d Dossier) markdown(w io.Writer, name string) error {
	t, err := texttemplate.New("page.md").Funcs(texttemplate.FuncMap{
		"sheet": func(s *exhibit.Sheet) (string, error) { return rendered(s, exhibit.Markdown) },
		"size":  size, "join": strings.Join,
		"cell": func(text string) string { return strings.ReplaceAll(text, "|", `\|`) },
	}).Parse(markdownPage)
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, name, d)
}

func rendered(s *exhibit.Sheet, format string) (string, error) {
	var b bytes.Buffer
	err := s.Write(&b, format)
	return b.String(), err
}

// size is a number of bytes for people.
func size(n int64) string {
	if n == 0 {
		return "unknown"
	}
	return humanize.IBytes(uint64(n))
}
