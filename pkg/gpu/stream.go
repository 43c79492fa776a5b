package gpu

import (
	"slices"
	"time"
)

// CopyTo implements Space.
func (s *deviceSpace) CopyTo(x, y *Vector) {
	launch(s.d, s.blocks, streamCopy{n: uint32(s.n), x: x.mem, y: y.mem})
}

// ScaleTo implements Space.
func (s *deviceSpace) ScaleTo(a float64, x, y *Vector) {
	launch(s.d, s.blocks, streamMul{n: uint32(s.n), a: a, x: x.mem, y: y.mem})
}

// Add implements Space.
func (s *deviceSpace) Add(x, y, z *Vector) { s.Triad(x, 1, y, z) }

// Triad implements Space.
func (s *deviceSpace) Triad(x *Vector, a float64, y, z *Vector) {
	launch(s.d, s.blocks, streamTriad{n: uint32(s.n), x: x.mem, a: a, y: y.mem, z: z.mem})
}

const (
	bandwidthBatches = 7
	bandwidthBatch   = 20 * time.Millisecond // at least
)

// CopyBandwidth copies so many bytes from one place on the device to another, and returns
// the bytes read and written a second: the median of several batches of copies, by the
// clock of the host. It takes twice the bytes of memory.
func (d *Device) CopyBandwidth(bytes int64) (float64, error) {
	from, to := d.alloc(bytes), d.alloc(bytes)
	defer d.release(&from, &to)
	if d.err == nil {
		d.note("clearing memory", d.drv.zero(from.handle, bytes))
	}
	batch := func(copies int) time.Duration {
		start := time.Now()
		for range copies {
			if d.err == nil {
				d.note("copying", d.drv.copy(to.handle, from.handle, bytes))
			}
		}
		_ = d.Wait() // the device keeps the error
		return time.Since(start)
	}
	batch(1) // memory is taken when it is first used
	copies := 1
	for d.err == nil && batch(copies) < bandwidthBatch {
		copies *= 2
	}
	var seconds []float64
	for range bandwidthBatches {
		seconds = append(seconds, batch(copies).Seconds())
	}
	slices.Sort(seconds)
	return 2 * float64(bytes) * float64(copies) / seconds[bandwidthBatches/2], d.err
}
