package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan makes the command that writes the manual pages of root.
func newMan(root *cobra.Command) *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use: "man", Short: "Write the manual pages", Args: exactly(0, "no argument"),
		Example: "  mpsolve man --output man && man -l man/mpsolve-solve.1",
		RunE: func(*cobra.Command, []string) error {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			epoch := time.Unix(0, 0)
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "mpsolve " + Version, Date: &epoch}, folder)
		},
	}
	c.Flags().StringVarP(&folder, "output", "o", "man", "`folder` for the pages")
	return c
}
