package cli

import (
	"io"
	"strings"

	"github.com/schollz/progressbar/v3"
)

// barSteps is the number of steps of a bar, and barCells the number of characters that draw it.
const (
	barSteps = 1000
	barCells = 12
)

// bar draws which share of a work is done, 0 to 1.
func bar(share float64) string {
	b := progressbar.NewOptions(barSteps, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(barCells),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	_ = b.Set(min(max(int(share*barSteps), 0), barSteps-1)) // the last step would end it
	_ = b.RenderBlank()                                     // whatever the time since the last drawing
	return strings.TrimSpace(b.String())
}
