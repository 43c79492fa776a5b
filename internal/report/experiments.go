package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// Expected has estimates of how long the measurements of a quick run and of a full run take.
type Expected struct{ Quick, Full time.Duration }

// widths of the columns of words
const (
	showsWidth    = 40
	matricesWidth = 44
)

// Experiments writes a table of experiments, with the time that each takes, and the time that all take together.
func Experiments(w io.Writer, list []records.Experiment, times []Expected, together Expected) {
	t := newTable(w, "id", "source", "shows", "matrices", "quick", "full")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 3, WidthMax: showsWidth, WidthMaxEnforcer: text.WrapSoft},
		{Number: 4, WidthMax: matricesWidth, WidthMaxEnforcer: text.WrapSoft},
		{Number: 5, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 6, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for i, e := range list {
		t.AppendRow(table.Row{e.ID, e.Paper + ", " + e.Source, e.Shows, matrices(e), about(times[i].Quick), about(times[i].Full)})
	}
	t.Render()
	fmt.Fprintf(w, "\nall on two cores: quick about %s, full about %s; shared measurements are made once\n",
		about(together.Quick), about(together.Full))
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

// about returns a duration in seconds or minutes, for people.
func about(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}
