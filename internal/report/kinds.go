package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// Kinds writes each kind of measurement with its labels and values, then a table of all values with their meaning, which
// describe returns.
func Kinds(w io.Writer, list []records.Kind, describe func(value string) string) {
	var values []string
	kindsOf := map[string][]string{}
	for _, k := range list {
		with := "with matrices"
		if !k.Matrix {
			with = "without matrices"
		}
		fmt.Fprintf(w, "%s (%s): %s\n\n", k.Name, with, k.Text)
		if len(k.Labels) > 0 {
			t := newTable(w, "label", "default", "values")
			t.SetColumnConfigs(nil) // all words to the left
			for _, l := range k.Labels {
				t.AppendRow(table.Row{l.Name, l.Default, l.Words})
			}
			t.Render()
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, " measures: %s\n\n", strings.Join(k.Values, ", "))
		for _, v := range k.Values {
			if kindsOf[v] == nil {
				values = append(values, v)
			}
			kindsOf[v] = append(kindsOf[v], k.Name)
		}
	}
	t := newTable(w, "value", "meaning", "measured by")
	t.SetColumnConfigs(nil)
	for _, v := range values {
		t.AppendRow(table.Row{v, describe(v), strings.Join(kindsOf[v], ", ")})
	}
	t.Render()
}
