package cli

import (
	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/internal/records"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/reproduce"
)

// list prints the experiments and about how long what they lack takes.
func (f *reproduceFlags) list(s streams) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	all, err := named([]string{"all"}, opt.Environment.Cores)
	if err != nil {
		return err
	}
	nothing := &records.Store{}
	var rows []report.ExperimentRow
	for _, e := range all {
		row := report.ExperimentRow{Experiment: e}
		opt.Quick = true
		if row.Quick, err = reproduce.Expected(e, opt, nothing); err != nil {
			return err
		}
		opt.Quick = false
		if row.Full, err = reproduce.Expected(e, opt, nothing); err != nil {
			return err
		}
		rows = append(rows, row)
	}
	out := &firstError{w: s.out}
	report.Experiments(out, rows)
	return out.err
}

// kinds prints what experiments can measure.
func kinds(s streams) error {
	out := &firstError{w: s.out}
	report.Kinds(out, reproduce.Kinds(), func(value string) string {
		v, _ := records.LookupValue(value) // a test of internal/reproduce demands it
		return v.Text
	})
	return out.err
}

// fetchList prints the papers' matrices.
func fetchList(s streams) error {
	out := &firstError{w: s.out}
	report.Papers(out, collection.Papers())
	return out.err
}
