package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/reproduce"
)

// workBar is a status line that shows how far a long run is and how much time is
// left.
type workBar struct{ statusLine }

// workSteps is the length of the bar.
const workSteps = 1000

func newWorkBar(w io.Writer) *workBar {
	b := &workBar{}
	if isTerminal(w) {
		b.bar = progressbar.NewOptions(workSteps, progressbar.OptionSetWriter(w),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20))
	}
	return b
}

func (b *workBar) show(p reproduce.Progress) {
	if b.bar == nil || time.Since(b.drawn) < liveInterval {
		return
	}
	b.drawn = time.Now()
	b.bar.Describe(report.Printable(fmt.Sprintf("%s, %s, %v left", p.Experiment, p.Text, p.Left.Round(time.Second))))
	_ = b.bar.Set(min(int(p.Done*workSteps), workSteps-1)) // a bar that cannot be drawn harms nothing
}
