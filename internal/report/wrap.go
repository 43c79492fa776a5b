package report

import (
	"strings"
	"unicode/utf8"
)

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
