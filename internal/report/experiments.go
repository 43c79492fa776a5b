package report

import (
	"io"
	"time"

	"github.com/mpsolve/mpsolve/examples/experiments"
)

// ExperimentRow is an experiment and about how long its measurements take.
type ExperimentRow struct {
	experiments.Experiment
	Quick, Full time.Duration
}

// Experiments writes a table of experiments.
func Experiments(w io.Writer, rows []ExperimentRow) {
	t := newTable(w, "id", "paper", "of it", "shows", "matrices", "quick", "full")
	for _, r := range rows {
		matrices := map[string]bool{}
		for _, g := range r.Measure {
			for _, name := range g.Matrices {
				matrices[name] = true
			}
		}
		t.AppendRow([]any{r.ID, r.Paper, r.Source, r.Shows, len(matrices), about(r.Quick), about(r.Full)})
	}
	t.Render()
}

// about is a duration for people, in seconds or minutes.
func about(d time.Duration) string {
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}
