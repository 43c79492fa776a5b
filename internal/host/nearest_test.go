package host

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	words := []string{"cg", "bicgstab", "GMRES"}
	for in, want := range map[string]string{
		"cgs": "cg", "bicstab": "bicgstab", "gmres": "GMRES", "": "cg", strings.Repeat("x", 1<<20): "cg",
	} {
		if got := NearestWord(in, words); got != want {
			t.Errorf("%.10q: got %q, want %q", in, got, want)
		}
	}
	if got := NearestWord("x", nil); got != "" {
		t.Errorf("got %q of no words", got)
	}
}
