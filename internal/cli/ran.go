package cli

import (
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/report"
)

// ran says what is run, when, and on which machine.
func (r *solveRun) ran() report.Run {
	used := kernels.Find(r.opt.Storage.Kernels).Or()
	return report.Run{Arguments: append([]string{}, r.job.args...), Started: r.start.UTC(), Processor: host.Processor(), Kernels: used.String()}
}
