package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// widestHelp is the number of columns of help texts, unless the terminal has fewer.
const widestHelp = 100

// If fewer than leastHelp columns are left for the description of a command, the description stands below the name,
// narrowIndent columns from the left.
const (
	leastHelp    = 22
	narrowIndent = 6
	narrowFlags  = 60 // columns from which flags and what they do stand side by side
)

// localFlags matches the part of cobra's template that lists the flags of a command.
var localFlags = regexp.MustCompile(`(?s)\n\nFlags:\n\{\{\.LocalFlags.*?\}\}`)

// helpFunctions adds the functions of the help texts to cobra's templates, once, since all commands share them.
var helpFunctions = sync.OnceFunc(func() {
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	cobra.AddTemplateFunc("flagList", flagList)
	cobra.AddTemplateFunc("paragraphs", paragraphs)
	cobra.AddTemplateFunc("command", func(c *cobra.Command, width int) string {
		name := fmt.Sprintf("  %-*s ", c.NamePadding(), c.Name())
		if len(name)+leastHelp > width {
			return "  " + c.Name() + "\n" + report.Wrap(strings.Repeat(" ", narrowIndent)+c.Short, narrowIndent, width)
		}
		return report.Wrap(name+c.Short, len(name), width)
	})
	cobra.AddTemplateFunc("examples", examples)
})

// fitHelp makes the help texts of root and its commands as wide as the terminal, with flags in groups.
func fitHelp(root *cobra.Command, w io.Writer) { fitHelpTo(root, textWidth(w)) }

// fitHelpTo makes the help texts width columns wide.
func fitHelpTo(root *cobra.Command, width int) {
	helpFunctions()
	usage := localFlags.ReplaceAllLiteralString(root.UsageTemplate(), fmt.Sprintf("{{flagUsages . %d}}", width))
	usage = strings.ReplaceAll(usage, "Additional help topics:", "Topics, such as mpsolve help files:")
	usage = strings.ReplaceAll(usage, "  {{rpad .CommandPath .CommandPathPadding}} {{.Short}}", fmt.Sprintf("{{command . %d}}", width))
	usage = strings.ReplaceAll(usage, "{{.Example}}", fmt.Sprintf("{{examples .Example %d}}", width))
	usage = strings.ReplaceAll(usage, ".InheritedFlags.FlagUsages", fmt.Sprintf("flagList .InheritedFlags %d", width))
	usage = strings.ReplaceAll(usage, "  {{rpad .Name .NamePadding }} {{.Short}}", fmt.Sprintf("{{command . %d}}", width))
	usage = strings.ReplaceAll(usage, `Use "{{.CommandPath}} [command] --help" for more information about a command.`,
		fmt.Sprintf(`{{paragraphs (printf "Use \"%%s [command] --help\" for more information about a command." .CommandPath) %d}}`, width))
	root.SetUsageTemplate(usage)
	write := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		var text bytes.Buffer
		out := c.OutOrStdout()
		if slices.Contains(args, allWord) {
			showAll(c)
		}
		c.SetOut(&text)
		write(c, args)
		c.SetOut(out)
		_, _ = out.Write(text.Bytes()) // out keeps the error for the end of the command; cobra would print it as well
	})
	root.SetHelpTemplate(strings.ReplaceAll(root.HelpTemplate(), "{{. | trim", fmt.Sprintf("{{paragraphs . %d | trim", width)))
}

// examples breaks long commands with a backslash, as a shell reads them.
func examples(text string, width int) string {
	lines := strings.Split(text, "\n")
	for k, line := range lines {
		if utf8.RuneCountInString(line) > width {
			lines[k] = strings.ReplaceAll(report.Wrap(line, narrowIndent, width-2), "\n", " \\\n")
		}
	}
	return strings.Join(lines, "\n")
}

// textWidth returns the number of columns for help texts: the width of the terminal, but at most widestHelp.
func textWidth(w io.Writer) int {
	if n := columns(w); n > 0 {
		return min(n, widestHelp)
	}
	return widestHelp
}

// columns returns the width of the terminal that w writes to; 0: w is not a terminal.
func columns(w io.Writer) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// paragraphs wraps the paragraphs of a text at width columns. Empty lines separate paragraphs. Of a paragraph that begins
// with a space each line is wrapped, under its second column if it has one.
func paragraphs(text string, width int) string {
	var out []string
	for _, p := range strings.Split(text, "\n\n") {
		if !strings.HasPrefix(p, " ") {
			out = append(out, report.Wrap(strings.ReplaceAll(p, "\n", " "), 0, width))
			continue
		}
		lines := strings.Split(p, "\n")
		for k, line := range lines {
			if utf8.RuneCountInString(line) > width {
				lines[k] = report.Wrap(line, secondColumn(line, width), width)
			}
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return strings.Join(out, "\n\n")
}

// firstColumn matches a line of a list up to its second column.
var firstColumn = regexp.MustCompile(`^ +\S.*?\S?  +`)

// secondColumn returns where the second column of a line begins, or narrowIndent if there is none or too little is left for it.
func secondColumn(line string, width int) int {
	if n := utf8.RuneCountInString(firstColumn.FindString(line)); n > 0 && n+leastHelp <= width {
		return n
	}
	return narrowIndent
}

// allWord is what follows --help for all flags of a command that shows only some.
const allWord = "all"

// Annotations of flags that the help shows first, and of a command that shows all flags.
const (
	firstKey = "first"
	allKey   = "all"
)

// showFirst makes the help of c show only these flags, unless it is asked for all.
func showFirst(c *cobra.Command, names []string) {
	for _, name := range names {
		if err := c.Flags().SetAnnotation(name, firstKey, []string{name}); err != nil {
			panic(err) // the flag does not exist
		}
	}
}

// showAll makes the help of c show all flags.
func showAll(c *cobra.Command) {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[allKey] = allWord
}

// groupKey is the annotation of a flag with the heading under which help lists the flag.
const groupKey = "group"

// flagGroup puts the flags that have been added since the last call under a heading of the help text.
func flagGroup(c *cobra.Command, heading string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if groupOf(f) == "" {
			if err := c.Flags().SetAnnotation(f.Name, groupKey, []string{heading}); err != nil {
				panic(err) // the flag does not exist
			}
		}
	})
}

// groupOf returns the heading of a flag; "": none.
func groupOf(f *pflag.Flag) string { return strings.Join(f.Annotations[groupKey], "") }

// flagUsages lists the flags of a command: those that are shown first, if there are any, and else all.
func flagUsages(c *cobra.Command, columns int) string {
	first := pflag.NewFlagSet("", pflag.ContinueOnError)
	first.SortFlags = c.Flags().SortFlags
	left := 0
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if len(f.Annotations[firstKey]) > 0 {
			first.AddFlag(f)
		} else {
			left++
		}
	})
	if !first.HasFlags() || c.Annotations[allKey] != "" {
		return groupUsages(c.LocalFlags(), columns)
	}
	more := fmt.Sprintf("%d more flags: %s --help %s", left, c.CommandPath(), allWord)
	return "\n\nFlags:\n" + flagList(first, columns) + "\n\n" + report.Wrap(more, 0, columns)
}

// flagParts are the flag with its type, and what it does, in a line of pflag's list.
var flagParts = regexp.MustCompile(`^ *(\S.*?) {3,}(\S.*)$`)

// flagList lists flags at most width columns wide. Where that leaves little beside the flags, what a flag does has lines of its own.
func flagList(flags *pflag.FlagSet, width int) string {
	list := strings.TrimRight(flags.FlagUsagesWrapped(width), "\n")
	if width <= 0 || width >= narrowFlags {
		return list
	}
	var b strings.Builder
	for line := range strings.Lines(flags.FlagUsages()) {
		parts := flagParts.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if parts == nil {
			return list
		}
		b.WriteString("  " + parts[1] + "\n" + report.Wrap(strings.Repeat(" ", narrowIndent)+parts[2], narrowIndent, width) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// groupUsages lists flags at most width columns wide, under the headings of their groups if there are groups.
func groupUsages(flags *pflag.FlagSet, columns int) string {
	var headings []string
	groups := map[string]*pflag.FlagSet{}
	flags.VisitAll(func(f *pflag.Flag) {
		heading := groupOf(f)
		if groups[heading] == nil {
			groups[heading] = pflag.NewFlagSet("", pflag.ContinueOnError)
			groups[heading].SortFlags = flags.SortFlags
			headings = append(headings, heading)
		}
		groups[heading].AddFlag(f)
	})
	var b strings.Builder
	for _, heading := range headings {
		list := flagList(groups[heading], columns)
		switch {
		case heading == "" && len(headings) > 1:
			heading = "Other"
		case heading == "":
			heading = "Flags"
		}
		b.WriteString("\n\n" + heading + ":\n" + list)
	}
	return b.String()
}

// newMan returns the command that writes the manual pages of root.
func newMan(root *cobra.Command) *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use: "man", Short: "Write the manual pages", Args: exactly(0, "no argument"),
		Example: "  mpsolve man --output man && man -l man/mpsolve-solve.1",
		RunE: func(*cobra.Command, []string) error {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			return manPages(root, folder)
		},
	}
	c.Flags().StringVarP(&folder, "output", "o", "man", "`folder` for the pages")
	return c
}

// manPages writes the pages of a command and of its subcommands.
func manPages(c *cobra.Command, folder string) error {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			if err := manPages(sub, folder); err != nil {
				return err
			}
		}
	}
	var page bytes.Buffer
	epoch := time.Unix(0, 0)
	if err := doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: "mpsolve " + Version, Date: &epoch}, &page); err != nil {
		return err
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	return os.WriteFile(filepath.Join(folder, name), []byte(manGroups(page.String(), c.Flags())), 0o666)
}

// manGroups adds the headings of the groups of flags to a page.
func manGroups(page string, flags *pflag.FlagSet) string {
	last := ""
	flags.VisitAll(func(f *pflag.Flag) {
		heading := groupOf(f)
		if heading == "" || heading == last {
			return
		}
		last = heading
		option := "\\fB--" + f.Name + "\\fP="
		if f.Shorthand != "" {
			option = "\\fB-" + f.Shorthand + "\\fP, " + option
		}
		page = strings.Replace(page, "\n"+option, "\n.SS "+heading+"\n"+option, 1)
	})
	return page
}
