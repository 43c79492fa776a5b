package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

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
	case "scaling", "epsilon", "layout", "format", "precision", "storage", "read", "kernels", "transpose":
		return true
	case "precond":
		return strings.Contains(rest, ": set up in ")
	}
	return false
}

// leastText is the least width of wrapped text: narrower terminals break the lines themselves.
const leastText = 20

// Wrap breaks a line between words so that it fits into width columns (0: it does not break the line), and indents all lines
// but the first. Several spaces in a row stay unless a line ends there.
func Wrap(line string, indent, columns int) string {
	if columns <= 0 || utf8.RuneCountInString(line) <= columns {
		return line
	}
	columns = max(columns, indent+leastText)
	var b strings.Builder
	at := 0 // columns of the current line so far
	for first := true; line != ""; first = false {
		word := len(line) - len(strings.TrimLeft(line, " "))
		end := len(line)
		if k := strings.IndexByte(line[word:], ' '); k >= 0 {
			end = word + k
		}
		if n := utf8.RuneCountInString(line[:end]); first || at+n <= columns {
			at += n
			b.WriteString(line[:end])
		} else {
			b.WriteString("\n" + strings.Repeat(" ", indent) + line[word:end])
			at = indent + n - word
		}
		line = line[end:]
	}
	return b.String()
}
