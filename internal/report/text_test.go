package report

import (
	"strings"
	"testing"
)

// Printable escapes the characters that a terminal obeys, and leaves printable ones as they are.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"a·b ‖r‖ naïve":  "a·b ‖r‖ naïve",
		"\x1b[2J":        `\x1b[2J`,
		"a\nb\tc":        `a\nb\tc`,
		"\x7f\u009b\xff": `\x7f\u009b\xff`,
		"\u202e":         `\u202e`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		var b strings.Builder
		Line(&b, "x", "written to %s", text)
		if want := "x          written to " + want + "\n"; b.String() != want {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	}
}
