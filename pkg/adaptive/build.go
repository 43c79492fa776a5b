package adaptive

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/quantize"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// builder makes a Matrix: the elements become integers or values of formats, a layout is
// chosen, and the layout stores them.
type builder struct {
	m      *csr.Matrix
	spec   Spec
	model  *Model
	part   *quantize.Partition
	panels []int
	pool   *parallel.Pool
	old    *slotMatrix // whose memory may be used

	// Of a matrix that may be symmetric as it is stored: what to build if it is not, and what tells.
	mirrored  bool
	otherwise func() choice
	weights   weights
	mirror    uint64
}

func newBuilder(m *csr.Matrix, s Spec, pool *parallel.Pool) (*builder, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	panels := csr.Panels(m)
	part, err := quantize.New(m, s.quantization(), panels, pool)
	if err != nil {
		return nil, err
	}
	s.Kernels = s.Kernels.Or()
	model := s.Model
	if model == nil {
		model = ModelOf(s.Kernels)
	}
	return &builder{m: m, spec: s, model: model, part: part, panels: panels, pool: pool}, nil
}

// Build stores m as the spec says, on the threads of pool. It is an error if
// the spec is faulty, an element is not finite, or a uniform format does not
// have the range that the elements need.
func Build(m *csr.Matrix, s Spec, pool *parallel.Pool) (Matrix, error) {
	return rebuild(nil, m, s, pool)
}

// rebuild is Build in the memory of a matrix that is no longer needed, as far as
// that is of use; old is not valid afterwards.
func rebuild(old Matrix, m *csr.Matrix, s Spec, pool *parallel.Pool) (Matrix, error) {
	b, err := newBuilder(m, s, pool)
	if err != nil {
		return nil, err
	}
	if old != nil {
		of := old.(*matrix)
		b.old = of.slots()
		of.stored = nil
	}
	return b.build(b.choose())
}

// build stores the matrix as chosen.
func (b *builder) build(c choice) (Matrix, error) {
	if b.spec.DD && b.spec.Layout == LayoutAuto && c.layout.FP64() {
		return b.buildFP64DD(c)
	}
	return c.layout.row().build(b, c)
}
