package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mpsolve/mpsolve/internal/report"
)

// widestHelp is the number of columns of help texts where there is no terminal, or a wider one.
const widestHelp = 100

// localFlags is the part of cobra's template that lists the flags of a command.
var localFlags = regexp.MustCompile(`(?s)\n\nFlags:\n\{\{\.LocalFlags.*?\}\}`)

// helpFunctions gives cobra, whose functions all commands share, those of the help texts.
var helpFunctions = sync.OnceFunc(func() {
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	cobra.AddTemplateFunc("paragraphs", paragraphs)
	cobra.AddTemplateFunc("command", func(c *cobra.Command, width int) string {
		name := fmt.Sprintf("  %-*s ", c.NamePadding(), c.Name())
		return report.Wrap(name+c.Short, len(name), width)
	})
})

// fitHelp makes the help texts of root and its commands as wide as the terminal, with flags in groups.
func fitHelp(root *cobra.Command, w io.Writer) {
	width := textWidth(w)
	helpFunctions()
	usage := localFlags.ReplaceAllLiteralString(root.UsageTemplate(), fmt.Sprintf("{{flagUsages .LocalFlags %d}}", width))
	usage = strings.ReplaceAll(usage, ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", width))
	usage = strings.ReplaceAll(usage, "  {{rpad .Name .NamePadding }} {{.Short}}", fmt.Sprintf("{{command . %d}}", width))
	root.SetUsageTemplate(usage)
	root.SetHelpTemplate(strings.ReplaceAll(root.HelpTemplate(), "{{. | trim", fmt.Sprintf("{{paragraphs . %d | trim", width)))
}

// textWidth returns the number of columns for help texts: those of the terminal, up to widestHelp.
func textWidth(w io.Writer) int {
	if n := columns(w); n > 0 {
		return min(n, widestHelp)
	}
	return widestHelp
}

// columns is the width of the terminal that w writes to; 0: it is none.
func columns(w io.Writer) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// paragraphs breaks the lines of a text anew at so many columns. Paragraphs are divided by empty lines; indented
// lines stay as they are.
func paragraphs(text string, width int) string {
	var out []string
	for _, p := range strings.Split(text, "\n\n") {
		if !strings.HasPrefix(p, " ") {
			p = report.Wrap(strings.ReplaceAll(p, "\n", " "), 0, width)
		}
		out = append(out, p)
	}
	return strings.Join(out, "\n\n")
}
