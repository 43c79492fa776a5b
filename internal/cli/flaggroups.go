package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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

// flagUsages lists flags at most width columns wide, under the headings of their groups if there are groups.
func flagUsages(flags *pflag.FlagSet, columns int) string {
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
		list := strings.TrimRight(groups[heading].FlagUsagesWrapped(columns), "\n")
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
