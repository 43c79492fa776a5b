package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// Every flag of solve is in a group, in the help text and in the manual page.
func TestFlagGroups(t *testing.T) {
	root := newRoot(streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}})
	c, _, err := root.Find([]string{"solve"})
	if err != nil {
		t.Fatal(err)
	}
	headings := []string{"Problem", "Method", "Preconditioner", "Precision", "Limits, machine and checkpoints", "Output"}
	var seen []string
	page := ""
	c.Flags().VisitAll(func(f *pflag.Flag) {
		page += "\n\\fB--" + f.Name + "\\fP=x"
		if h := groupOf(f); len(seen) == 0 || seen[len(seen)-1] != h {
			seen = append(seen, h)
		}
	})
	if got, want := strings.Join(seen, "; "), strings.Join(headings, "; "); got != want {
		t.Errorf("groups in order: %s\nwant %s", got, want)
	}
	help, man := c.UsageString(), manGroups(page, c.Flags())
	for _, h := range headings {
		if !strings.Contains(help, "\n"+h+":\n") {
			t.Errorf("help does not have %q", h)
		}
		if strings.Count(man, "\n.SS "+h+"\n") != 1 && h != "Output" { // the first flag of this group has a short name
			t.Errorf("the page does not have %q once", h)
		}
	}
}

// Help fits into its width: no word is lost, and no line is longer, except for a flag or a long word.
func TestHelpWraps(t *testing.T) {
	root := newRoot(streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}})
	c, _, err := root.Find([]string{"solve"})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{40, 80} {
		text := paragraphs(c.Long, width) + flagUsages(c.LocalFlags(), width)
		if got, want := strings.Fields(paragraphs(c.Long, width)), strings.Fields(c.Long); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("width %d: the words differ", width)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if words := strings.Fields(line); utf8.RuneCountInString(line) > width && !strings.HasPrefix(words[0], "-") && len(words[0]) < 24 {
				t.Errorf("width %d: %q", width, line)
			}
		}
	}
}

// Long examples continue after a backslash, and the description of a command with a long name is below the name.
func TestNarrowHelp(t *testing.T) {
	want := "  mpsolve generate poisson3d --n 50 -o \\\n      p.mtx.gz\n  mpsolve info m.mtx"
	if got := examples("  mpsolve generate poisson3d --n 50 -o p.mtx.gz\n  mpsolve info m.mtx", 40); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, args := range [][]string{{"generate"}, {"tune"}, {}} {
		var out bytes.Buffer
		root := newRoot(streams{out: &out, err: &out})
		root.SetOut(&out)
		root.SetHelpTemplate("") // cobra's own
		root.SetUsageTemplate("")
		fitHelpTo(root, 40)
		root.SetArgs(append(args, "--help"))
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if words := strings.Fields(line); utf8.RuneCountInString(line) > 40 && len(words[0]) < 32 {
				t.Errorf("%v: %q", args, line)
			}
		}
	}
}
