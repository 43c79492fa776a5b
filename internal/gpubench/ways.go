// Package gpubench measures products y = A x, and whole solves, on a device, with the
// matrix stored in one way or several, which take turns.
package gpubench

import (
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Way is one way to store a matrix on a device.
type Way struct {
	Layout, Formats string
	Epsilon         float64 // accuracy of the stored matrix
	set             adaptive.Set
	put             storing
}

type storing func(*gpu.Device, *csr.Matrix, adaptive.Spec, *linop.Pool) (*gpu.Matrix, error)

// ways are the layouts in the order in which they are measured. The first is what others
// are compared with.
var ways = []struct {
	layout, formats string
	put             storing
}{
	{"csr", "FP64", func(d *gpu.Device, m *csr.Matrix, _ adaptive.Spec, _ *linop.Pool) (*gpu.Matrix, error) {
		return gpu.NewCSR(d, m)
	}},
	{"csr32", "FP32", func(d *gpu.Device, m *csr.Matrix, _ adaptive.Spec, _ *linop.Pool) (*gpu.Matrix, error) {
		return gpu.NewCSR32(d, m)
	}},
	{"slots", "AFX", gpu.NewSlots},
	{"bucketed", "AP7RE", gpu.NewBucketed},
}

// Layouts are the names of all layouts.
func Layouts() (names []string) {
	for _, w := range ways {
		names = append(names, w.layout)
	}
	return names
}

// Ways are the layouts of these names, for each accuracy where they have one, after FP64
// CSR, which is always there.
func Ways(layouts []string, epsilon []float64) (list []Way, err error) {
	for k, w := range ways {
		if k > 0 && !slices.Contains(layouts, w.layout) {
			continue
		}
		set, err := adaptive.LookupSet(w.formats)
		if err != nil {
			return nil, err
		}
		accuracies := epsilon
		if set.Uniform {
			accuracies = []float64{set.Formats[0].UnitRoundoff()}
		}
		for _, e := range accuracies {
			list = append(list, Way{w.layout, w.formats, e, set, w.put})
		}
	}
	return list, nil
}

func (w Way) String() string {
	if w.set.Uniform {
		return w.Layout + " " + w.Formats
	}
	return fmt.Sprintf("%s, %s", w.Layout, w.spec())
}

func (w Way) spec() adaptive.Spec {
	return adaptive.Spec{Set: w.set, Epsilon: w.Epsilon, Criterion: adaptive.NW}
}

// store stores m in a way, and returns the seconds that this took. A way that does not do
// for m is noted, and the matrix nil; a failure of the device is an error.
func (o Options) store(d *gpu.Device, m *csr.Matrix, w Way) (a *gpu.Matrix, seconds float64, err error) {
	start := time.Now()
	a, err = w.put(d, m, w.spec(), o.Pool)
	if failed := d.Wait(); failed != nil {
		return nil, 0, failed
	}
	if err != nil {
		o.Note(fmt.Sprintf("%s is left out: %v", w, err))
		return nil, 0, nil
	}
	return a, time.Since(start).Seconds(), nil
}
