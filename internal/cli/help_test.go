package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
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
	showAll(c)
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
		text := paragraphs(c.Long, width) + groupUsages(c.LocalFlags(), width)
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

// Long examples continue after a backslash; descriptions of flags, and of a command with a long name, are below the name.
func TestNarrowHelp(t *testing.T) {
	want := "  mpsolve generate poisson3d --n 50 -o \\\n      p.mtx.gz\n  mpsolve info m.mtx"
	if got := examples("  mpsolve generate poisson3d --n 50 -o p.mtx.gz\n  mpsolve info m.mtx", 40); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.StringP("output", "o", "", "write x to this `file`, or to standard output")
	want = "  -o, --output file\n      write x to this file, or to\n      standard output"
	if got := flagList(flags, 40); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, args := range [][]string{{"generate"}, {"tune"}, {"solve"}, {"methods"}, {"precision"}, {"files"}, {}} {
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
			if words := strings.Fields(line); utf8.RuneCountInString(line) > 40 && !strings.HasPrefix(words[0], "--") && len(words[0]) < 24 { // pflag does not break before a long word
				t.Errorf("%v: %q", args, line)
			}
		}
	}
}

// Help shows the usual flags of solve, and all of them after "all"; topics describe every method, preconditioner and layout.
func TestHelpInParts(t *testing.T) {
	help := func(args ...string) string {
		var out bytes.Buffer
		root := newRoot(streams{out: &out, err: &out, job: &job{comm: dist.NewTimed(dist.Self{})}})
		root.SetArgs(args)
		if err := root.Execute(); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out.String()
	}
	lists := func(text, word string) bool { return regexp.MustCompile(`(?m)^ +` + word + `\b`).MatchString(text) }
	usual := help("solve", "--help")
	if n := strings.Count(usual, "\n      --") + strings.Count(usual, "\n  -o"); n != len(usualFlags)+1 { // and --no-color
		t.Errorf("solve --help shows %d flags, want %d", n, len(usualFlags)+1)
	}
	for _, args := range [][]string{{"solve", "--help", "all"}, {"solve", "-h", "all"}, {"help", "solve", "all"}} {
		if all := help(args...); !lists(all, "--idr-s") || !lists(all, "--tol") || lists(usual, "--idr-s") {
			t.Errorf("%v does not show what solve --help leaves out, or not in addition", args)
		}
	}
	for topic, words := range map[string][]string{
		"methods": words(rules.Methods[1:]), "preconditioners": words(rules.Preconds), "precision": words(layouts[1:]), "exit-codes": {"0", "3", "141"}, "files": {"PETSc"},
	} {
		text := help("help", topic)
		for _, w := range words {
			if !lists(text, w) {
				t.Errorf("help %s does not list %s", topic, w)
			}
		}
	}
}

func words[W ~string](list []W) []string { return strings.Split(joined(list, " "), " ") }
