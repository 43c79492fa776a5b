package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// labelWidth is the number of columns of a label and the space after it.
const labelWidth = 11

// Line writes one line of a text report, a label and a text. If the terminal is narrower than the line, the line wraps.
func Line(w io.Writer, label, format string, args ...any) {
	line := fmt.Sprintf("%-*s %s", labelWidth-1, label, Printable(fmt.Sprintf(format, args...)))
	fmt.Fprintln(w, paint(w, label, Wrap(line, labelWidth, Columns(w))))
}

// A Terminal is a writer that may write to a terminal.
type Terminal interface {
	Columns() int // width of the terminal; 0: not a terminal
	Colored() bool
}

// Columns returns the width of the terminal that w writes to; 0: not a terminal.
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

// paint colours what a person looks for first: the verdict and warnings.
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

// escape returns a text in a colour.
func escape(c text.Color, s string) string { return c.EscapeSeq() + s + text.Reset.EscapeSeq() }

// Event writes a line that the solver logged. Its first word becomes the label.
func Event(w io.Writer, line string) {
	label, rest, _ := strings.Cut(line, " ")
	Line(w, label, "%s", rest)
}

// Detail reports whether a line that the solver logged is printed only with --verbose: it says how something is stored or
// scaled, or the report repeats it.
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
