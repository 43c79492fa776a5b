package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

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
