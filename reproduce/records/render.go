package records

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mpsolve/mpsolve/internal/host"
)

// formats lists the formats of the files of tables, by their extensions.
var formats = []struct {
	ending string
	name   string
	write  func(*sheet, io.Writer) error
}{
	{"txt", "text", (*sheet).text},
	{"csv", "CSV", func(s *sheet, w io.Writer) error { return csv.NewWriter(w).WriteAll(s.Data) }},
	{"tex", "TeX", (*sheet).latex},
	{"md", "Markdown", (*sheet).markdown},
}

// pretty passes the body to go-pretty, with these levels of headings.
func (s *sheet) pretty(head [][]string) pretty.Writer {
	t := pretty.NewWriter()
	t.SetStyle(pretty.StyleLight)
	t.Style().Options = pretty.OptionsNoBordersAndSeparators
	t.Style().Format.Header = text.FormatDefault
	bottom := len(head) - 1
	for _, level := range head[:bottom] {
		t.AppendHeader(anyRow(level), pretty.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignCenter})
	}
	t.AppendHeader(anyRow(head[bottom]))
	for _, line := range s.Body {
		t.AppendRow(anyRow(line))
	}
	var columns []pretty.ColumnConfig
	for k := s.Keys; k < len(head[bottom]); k++ {
		columns = append(columns, pretty.ColumnConfig{Number: k + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

func anyRow(words []string) (row pretty.Row) {
	for _, w := range words {
		row = append(row, w)
	}
	return row
}

// joined joins the non-empty words by spaces.
func joined(words []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" }), " ")
}

// trimmed trims spaces at the ends of lines.
func trimmed(paragraph string) string {
	var b strings.Builder
	for line := range strings.Lines(paragraph) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// wrapped wraps captions and notes in text.
func wrapped(sentences string) string { return trimmed(text.WrapSoft(sentences, 100)) }

func (s *sheet) text(w io.Writer) error {
	notes := ""
	for k, note := range s.Notes {
		if k == 0 {
			notes = "\n"
		}
		notes += wrapped(note)
	}
	_, err := fmt.Fprintf(w, "%s\n%s%s", wrapped(s.Caption), trimmed(s.pretty(s.Head).Render()), notes)
	return err
}

func (s *sheet) markdown(w io.Writer) error {
	head := make([]string, len(s.Head[0])) // all levels of headings, joined
	for k := range head {
		var words []string
		for _, level := range s.Head {
			words = append(words, level[k])
		}
		head[k] = joined(words)
	}
	escaped := sheet{Keys: s.Keys}
	for _, line := range s.Body {
		escaped.Body = append(escaped.Body, escapeAll(line))
	}
	_, err := fmt.Fprintf(w, "%s\n\n%s\n%s", markdownText(s.Caption), escaped.pretty([][]string{escapeAll(head)}).RenderMarkdown(),
		s.notes("\n%s\n", markdownText))
	return err
}

// markdownWord escapes characters that would be read as markup.
var markdownWord = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "<", `\<`,
	"`", "\\`", "\n", " ", "\r", " ")

// markdownText escapes markup and replaces unprintable characters, such as the escape sequences of terminals.
func markdownText(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return utf8.RuneError
		}
		return c
	}, markdownWord.Replace(text))
}

func escapeAll(words []string) (escaped []string) {
	for _, w := range words {
		escaped = append(escaped, markdownText(w))
	}
	return escaped
}

// notes formats the notes, each by form.
func (s *sheet) notes(form string, escape func(string) string) string {
	var b strings.Builder
	for _, note := range s.Notes {
		fmt.Fprintf(&b, form, escape(note))
	}
	return b.String()
}

// html writes a fragment for the report, which has the ID, the source and the title elsewhere, with links to the
// files.
func (s *sheet) html(w io.Writer) error {
	t := s.pretty(s.Head)
	t.Style().HTML = pretty.HTMLOptions{CSSClass: "table", EscapeText: true, EmptyColumn: "&nbsp;", Newline: "<br/>"}
	caption := ""
	if s.Details != "" {
		caption = fmt.Sprintf("<figcaption>%s</figcaption>\n", html.EscapeString(s.Details))
	}
	_, err := fmt.Fprintf(w, "<figure>\n%s<div class=\"scroll\">\n%s\n</div>\n%s<p class=\"files\">%s</p>\n</figure>\n",
		caption, t.RenderHTML(), s.notes("<p>%s</p>\n", html.EscapeString), s.links())
	return err
}

// links returns links to the files of the sheet, in HTML.
func (s *sheet) links() string {
	var list []string
	for _, f := range formats {
		list = append(list, fmt.Sprintf(`<a href="%s.%s">%s</a>`, html.EscapeString(s.Name), f.ending, f.name))
	}
	return strings.Join(list, " ")
}

// Write writes all views of an experiment to a folder: ID-NAME.txt, .csv, .tex and
// .md; with a figure, .svg and .png; and the comparison with published values, if
// there are any, as ID-NAME-published. Views without measurements are left out. It
// returns the paths of the files written, also with an error, which names the file.
func Write(dir string, e Experiment, list []Record) (paths []string, err error) {
	for name, write := range filesOf(e, list) {
		path := filepath.Join(dir, name)
		if err := host.Write(path, write); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// filesOf iterates over the names of the files of an experiment, and the functions that write them.
func filesOf(e Experiment, list []Record) iter.Seq2[string, func(io.Writer) error] {
	return func(yield func(string, func(io.Writer) error) bool) {
		for _, v := range e.Views {
			t := newTable(e, v, list)
			if !t.measured() {
				continue
			}
			for _, s := range t.sheets() {
				for _, f := range formats {
					if !yield(s.Name+"."+f.ending, func(w io.Writer) error { return f.write(&s, w) }) {
						return
					}
				}
			}
			if v.Figure == nil {
				continue
			}
			for _, format := range Formats {
				if !yield(t.name()+"."+format, func(w io.Writer) error { return t.figure().Write(w, format) }) {
					return
				}
			}
		}
	}
}

// sheets returns the table as printed and, if there are published values, the comparison with them.
func (t *table) sheets() []sheet {
	list := []sheet{t.sheet()}
	if c := t.compared(); len(c.Body) > 0 {
		list = append(list, c)
	}
	return list
}
