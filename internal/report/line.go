package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// labelWidth is the number of columns of a label and the space that follows it.
const labelWidth = 11

// Line writes one line of a text report, a label and a text. On a terminal that is narrower, it continues below.
func Line(w io.Writer, label, format string, args ...any) {
	line := fmt.Sprintf("%-*s %s", labelWidth-1, label, Printable(fmt.Sprintf(format, args...)))
	fmt.Fprintln(w, paint(w, label, Wrap(line, labelWidth, Columns(w))))
}

// A Terminal is a writer to one.
type Terminal interface {
	Columns() int // its width; 0: it is no terminal
	Colored() bool
}

// Columns is the width of the terminal that w writes to; 0: it is none.
func Columns(w io.Writer) int {
	if t, yes := w.(Terminal); yes {
		return t.Columns()
	}
	return 0
}

// Colored reports whether w shows colours.
func Colored(w io.Writer) bool {
	t, yes := w.(Terminal)
	return yes && t.Colored()
}

// paint colours what a person looks for first: whether it converged, and warnings.
func paint(w io.Writer, label, line string) string {
	if !Colored(w) {
		return line
	}
	at := labelWidth + strings.IndexFunc(line[labelWidth:], func(c rune) bool { return c != ' ' })
	for _, c := range []struct {
		begin string
		color text.Color
	}{{"converged", text.FgGreen}, {"NOT converged", text.FgRed}, {"least squares", text.FgYellow}} {
		if (label == "result" || strings.HasPrefix(label, "x ")) && strings.HasPrefix(line[at:], c.begin) {
			return line[:at] + escape(c.color, c.begin) + line[at+len(c.begin):]
		}
	}
	if label == "caution" || label == "evidence" {
		return escape(text.FgYellow, label) + line[len(label):]
	}
	return line
}

// escape is a text in a colour.
func escape(c text.Color, s string) string { return c.EscapeSeq() + s + text.Reset.EscapeSeq() }

// Event writes a line logged by pkg/solve, whose first word is the label.
func Event(w io.Writer, line string) {
	label, rest, _ := strings.Cut(line, " ")
	Line(w, label, "%s", rest)
}

// Detail reports whether a line logged by pkg/solve is for those who want to know everything: how something is stored or scaled, and
// what the report says again.
func Detail(line string) bool {
	label, rest, _ := strings.Cut(line, " ")
	switch label {
	case "scaling", "epsilon", "layout", "format", "storage", "read", "kernels", "transpose":
		return true
	case "precond":
		return strings.Contains(rest, ": set up in ")
	}
	return false
}
