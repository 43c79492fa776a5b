package adaptive

import (
	"sort"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// pieceItems is about the number of elements whose integers are made before their slots are: they
// stay in a core's own cache.
const pieceItems = 1 << 14

// panel makes the slots of rows lo to hi-1, in the memory of old if that suffices.
func (s *slotBuilder) panel(b *builder, lo, hi int, old kernels.SlotPanel) kernels.SlotPanel {
	if s.whole || s.far || !s.pieces(b, lo, hi) {
		s.begin()
		s.quantize(b, lo, hi)
		s.order()
		s.slices()
		s.whole = true
	}
	s.finish()
	return s.clone(old)
}

// quantize makes items of rows lo to hi-1.
func (s *slotBuilder) quantize(b *builder, lo, hi int) {
	s.ints.Quantize(b.m, b.part, lo, hi)
	s.setItems()
	s.tally.NNZ += s.ints.NNZ
	if s.lower {
		s.mirror += b.mirrorOf(b.weights, &s.ints)
	}
}

// pieces makes the slots of rows lo to hi-1 piece by piece. Whether that is the same as all at once
// shows on the way: it returns false if their order may have to be changed, or a row is a slice.
func (s *slotBuilder) pieces(b *builder, lo, hi int) bool {
	s.begin()
	padded, total := 0, 0
	step := lanes * s.plan.block
	for at := lo; at < hi; {
		start := b.m.RowPtr[at]
		steps := sort.Search((hi-at)/step, func(k int) bool { return b.m.RowPtr[at+(k+1)*step]-start >= pieceItems })
		to := min(at+(steps+1)*step, hi)
		s.quantize(b, at, to)
		p, n := s.padded()
		padded, total = padded+p, total+n
		if at == lo && wasteful(padded, total) || !s.slices() {
			return false
		}
		at = to
	}
	return !wasteful(padded, total) || (hi-lo)/s.plan.block > 1<<16
}
