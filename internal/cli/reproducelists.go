package cli

import (
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/reproduce"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// list prints the experiments, and about how long their missing measurements take.
func (f *reproduceFlags) list(s streams) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	all, err := named([]string{"all"}, opt.Environment.Cores)
	if err != nil {
		return err
	}
	out := &firstError{w: s.out}
	nothing := &records.Store{}
	expected := func(list []records.Experiment) (row report.Expected, err error) {
		opt.Quick = true
		if row.Quick, err = reproduce.Expected(list, opt, nothing); err != nil {
			return row, err
		}
		opt.Quick = false
		row.Full, err = reproduce.Expected(list, opt, nothing)
		return row, err
	}
	times := make([]report.Expected, len(all))
	for i := range all {
		if times[i], err = expected(all[i : i+1]); err != nil {
			return err
		}
	}
	together, err := expected(all)
	if err != nil {
		return err
	}
	report.Experiments(out, all, times, together)
	return out.err
}

// kinds prints the kinds of measurement that experiments can have.
func kinds(s streams) error {
	out := &firstError{w: s.out}
	report.Kinds(out, reproduce.Kinds(), func(value string) string {
		v, _ := records.LookupValue(value) // a test of reproduce demands it
		return v.Text
	})
	return out.err
}

// fetchList prints the papers' matrices.
func fetchList(s streams) error {
	out := &firstError{w: s.out}
	report.Papers(out, matrixio.Papers())
	return out.err
}
