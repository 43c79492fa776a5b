package cli

import (
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/machine"
	"github.com/mpsolve/mpsolve/internal/report"
)

// ran is what is run, when and on what.
func (r *solveRun) ran() report.Run {
	used := r.opt.Storage.Kernels
	if used == nil {
		used = kernels.Default()
	}
	return report.Run{Arguments: append([]string{}, r.job.args...), Started: r.start.UTC(), Processor: machine.Processor(), Kernels: used.String()}
}
