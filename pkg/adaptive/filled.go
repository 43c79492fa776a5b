package adaptive

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// ErrMemory is wrapped by errors about a layout that takes more than Spec.MaxBytes, of which nothing has been allocated.
var ErrMemory = errors.New("memory limit too low")

// fits returns an error if a layout, filled up with zeros, takes too many bytes: SELL8 takes up to eight times the bytes of the elements.
func (b *builder) fits(l Layout, bytes int64) error {
	if most := b.spec.MaxBytes; most > 0 && bytes > most {
		return fmt.Errorf("%w: layout %s takes %s, and there is %s for it", ErrMemory, l, humanize.Bytes(uint64(bytes)), humanize.Bytes(uint64(most)))
	}
	return nil
}

// sell8Start returns where chunks begin in SELL8, or why there are none.
func (b *builder) sell8Start() ([]int64, error) {
	start := kernels.SELL8Start(b.m.RowPtr)
	return start, b.fits(SELL8, kernels.SELL8Bytes(start))
}

// bcrsStart returns where block rows begin in BCRS4x1, or why there are none.
func (b *builder) bcrsStart() ([]int64, error) {
	panels := b.wholePanels(kernels.BCRSRows)
	parts := make([][]int64, len(panels)-1)
	b.pool.RunRanges(panels, func(k, lo, hi int) {
		parts[k] = kernels.CountBCRS(lo, hi, b.m.RowPtr, b.m.Col)
	})
	var counts []int64
	for _, p := range parts {
		counts = append(counts, p...)
	}
	start := kernels.BCRSStart(counts)
	return start, b.fits(BCRS4x1, kernels.BCRSBytes(start))
}
