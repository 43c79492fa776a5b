package exhibit

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Formats of sheets, which are the endings of their files as well.
const (
	Text     = "txt"
	CSV      = "csv"
	Markdown = "md"
	HTML     = "html"
	LaTeX    = "tex"
)

// Write writes the sheet in one of the formats.
func (s *Sheet) Write(w io.Writer, format string) error {
	var out string
	switch format {
	case CSV:
		return csv.NewWriter(w).WriteAll(s.Data)
	case Text:
		out = s.text()
	case Markdown:
		out = s.markdown()
	case HTML:
		out = s.html()
	case LaTeX:
		out = s.latex()
	default:
		return fmt.Errorf("unknown format of tables %q", format)
	}
	_, err := io.WriteString(w, out)
	return err
}

// table gives the body to go-pretty, with all levels of headings or, if flat, with
// their words joined.
func (s *Sheet) table(flat bool) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Format.Header = text.FormatDefault
	bottom := len(s.Head) - 1
	if flat {
		t.AppendHeader(anyRow(s.flatHead()))
	} else {
		for _, level := range s.Head[:bottom] {
			t.AppendHeader(anyRow(level), table.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignCenter})
		}
		t.AppendHeader(anyRow(s.Head[bottom]))
	}
	for _, line := range s.Body {
		t.AppendRow(anyRow(line))
	}
	var columns []table.ColumnConfig
	for k := s.Keys; k < len(s.Head[bottom]); k++ {
		columns = append(columns, table.ColumnConfig{Number: k + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}

func anyRow(words []string) (row table.Row) {
	for _, w := range words {
		row = append(row, w)
	}
	return row
}

// flatHead joins the levels of headings to one.
func (s *Sheet) flatHead() []string {
	head := make([]string, len(s.Head[0]))
	for k := range head {
		var words []string
		for _, level := range s.Head {
			words = append(words, level[k])
		}
		head[k] = joined(words)
	}
	return head
}

// joined puts words beside each other, empty ones left out.
func joined(words []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" }), " ")
}

// wrapped breaks captions and notes in text into lines.
func wrapped(sentences string) string {
	var lines []string
	for line := range strings.Lines(text.WrapSoft(sentences, 100)) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n")
}

func (s *Sheet) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", wrapped(s.Caption))
	for line := range strings.Lines(s.table(false).Render() + "\n") {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	for k, note := range s.Notes {
		if k == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", wrapped(note))
	}
	return b.String()
}

func (s *Sheet) markdown() string {
	flat := *s
	flat.Head, flat.Body = [][]string{escapeAll(s.flatHead())}, nil
	for _, line := range s.Body {
		flat.Body = append(flat.Body, escapeAll(line))
	}
	return fmt.Sprintf("%s\n\n%s\n%s", markdownWord.Replace(s.Caption), flat.table(true).RenderMarkdown(), s.notes("\n%s\n", markdownWord.Replace))
}

// markdownWord keeps signs from being read as markup.
var markdownWord = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "<", `\<`)

func escapeAll(words []string) (escaped []string) {
	for _, w := range words {
		escaped = append(escaped, markdownWord.Replace(w))
	}
	return escaped
}

// notes writes each note in a form of its own.
func (s *Sheet) notes(form string, escape func(string) string) string {
	var b strings.Builder
	for _, note := range s.Notes {
		fmt.Fprintf(&b, form, escape(note))
	}
	return b.String()
}

// html is a fragment, for a page of its own style.
func (s *Sheet) html() string {
	t := s.table(false)
	t.Style().HTML = table.HTMLOptions{CSSClass: "exhibit", EscapeText: true, EmptyColumn: "&nbsp;", Newline: "<br/>"}
	return fmt.Sprintf("<figure>\n<figcaption>%s</figcaption>\n%s\n%s</figure>\n",
		html.EscapeString(s.Caption), t.RenderHTML(), s.notes("<p>%s</p>\n", html.EscapeString))
}
