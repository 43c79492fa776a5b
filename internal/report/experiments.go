package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// widths of the columns of words
const (
	showsWidth    = 40
	matricesWidth = 44
)

// Experiments writes a table of experiments, with the time that each takes, by ID, and the time that all take together, by "all".
func Experiments(w io.Writer, list []records.Experiment, times map[string]records.Expected) {
	t := newTable(w, "id", "source", "shows", "matrices", "quick", "full")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 3, WidthMax: showsWidth, WidthMaxEnforcer: text.WrapSoft},
		{Number: 4, WidthMax: matricesWidth, WidthMaxEnforcer: text.WrapSoft},
		{Number: 5, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 6, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for _, e := range list {
		t.AppendRow(table.Row{e.ID, e.Paper + ", " + e.Source, e.Shows, matrices(e), records.About(times[e.ID].Quick), records.About(times[e.ID].Full)})
	}
	t.Render()
	fmt.Fprintf(w, "\nall on two cores: quick about %s, full about %s; shared measurements are made once\n",
		records.About(times["all"].Quick), records.About(times["all"].Full))
}

// matrices names the matrices of an experiment, each once.
func matrices(e records.Experiment) string {
	var names []string
	seen := map[string]bool{}
	for _, g := range e.Measure {
		for _, name := range g.Matrices {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ", ")
}

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

// Papers writes a table of the papers' matrices, with sizes and addresses.
func Papers(w io.Writer, list []matrixio.Paper) {
	t := newTable(w, "matrix", "n", "nonzeros", "in memory", "download", "address")
	for _, p := range list {
		download, where := "–", p.Address()
		if where == "" {
			where = p.Missing
		}
		if bytes, known := p.DownloadBytes(); bytes > 0 {
			download = humanize.Bytes(uint64(bytes))
			if !known {
				download = "about " + download
			}
		}
		row := []any{p.Name, p.N, p.NNZ, humanize.Bytes(uint64(csr.Bytes(p.N, p.NNZ))), download, where}
		if p.N == 0 { // of which the papers tell nothing
			row = []any{p.Name, "–", "–", "–", download, where}
		}
		t.AppendRow(row)
	}
	t.Render()
}
