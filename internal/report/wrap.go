package report

import (
	"strings"
	"unicode/utf8"
)

// leastText is the number of columns that text takes at least: narrower terminals break its lines themselves.
const leastText = 20

// Wrap breaks a line between words so that it fits into so many columns (0: any number), with the lines that follow the first
// indented. Spaces in a row stay where no line ends.
func Wrap(line string, indent, columns int) string {
	if columns <= 0 || utf8.RuneCountInString(line) <= columns {
		return line
	}
	columns = max(columns, indent+leastText)
	var b strings.Builder
	at := 0 // columns of the last line so far
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
