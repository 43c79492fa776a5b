package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/mpsolve/mpsolve/reproduce"
)

// workBar is a status line that shows the progress of a long run and the time left.
type workBar struct{ *statusLine }

func newWorkBar(w io.Writer) *workBar { return &workBar{newStatusLine(w)} }

func (b *workBar) show(p reproduce.Progress) {
	b.statusLine.show(func(width int) string {
		return fit(width, part{0, bar(p.Done)}, part{1, fmt.Sprintf("%v left", p.Left.Round(time.Second))},
			part{2, p.Experiment}, part{3, p.Text})
	})
}
