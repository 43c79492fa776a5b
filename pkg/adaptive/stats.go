package adaptive

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// Stats says what a stored matrix is made of.
type Stats struct {
	Formats []FormatStats // from the narrowest to the widest, of those in use
	NNZ     int           // nonzeros of the matrix that was stored
	Dropped int           // of these
	InSlots int           // of these; the others that are stored are in buckets
	Scales  int64         // bytes of row units
	Bytes   int64         // in all, indices included
}

// FormatStats is the part of one format; both signs of an unsigned one.
type FormatStats struct {
	Format formats.Format
	Count  int
	Bytes  int64 // values, column indices and row offsets
}

// PerNonzero is the bytes per nonzero of the matrix that was stored.
func (s Stats) PerNonzero() float64 { return float64(s.Bytes) / float64(max(s.NNZ, 1)) }

// Predict returns the Stats that Build would give in bucketed CSR, without
// building.
func Predict(m *csr.Matrix, s Spec, pool *linop.Pool) (Stats, error) {
	b, err := newBuilder(m, s, pool)
	if err != nil {
		return Stats{}, err
	}
	ptr, err := b.count()
	if err != nil {
		return Stats{}, err
	}
	return stats(b, ptr), nil
}

// stats adds up a partition given the row offsets of its buckets.
func stats(b *builder, ptr [][]uint32) Stats {
	s := Stats{NNZ: b.nnz, Scales: b.scaleBytes()}
	s.Bytes = s.Scales
	stored := 0
	for k, p := range ptr {
		if p == nil {
			continue
		}
		n := int(p[b.m.Rows])
		bytes := int64(4*len(p) + n*(4+b.codecs[k].Bytes) + formats.Padding)
		if last := len(s.Formats) - 1; last >= 0 && s.Formats[last].Format == b.codecs[k].Format {
			s.Formats[last].Count += n
			s.Formats[last].Bytes += bytes
		} else {
			s.Formats = append(s.Formats, FormatStats{b.codecs[k].Format, n, bytes})
		}
		s.Bytes += bytes
		stored += n
	}
	if b.slots != nil {
		s.InSlots = s.addSlots(b)
		stored += s.InSlots
	}
	s.Dropped = s.NNZ - stored
	return s
}

// addSlots adds what is in slots and returns the number of its elements. The
// format of an element is that of its slot.
func (s *Stats) addSlots(b *builder) (stored int) {
	for _, c := range b.codecs {
		w := c.Bytes
		if c.Kind != formats.Fixed || b.slots.slots[w] == 0 {
			continue
		}
		f := FormatStats{c.Format, b.slots.count[w], int64(b.slots.slots[w]) * int64(1+kernels.Lanes*(2+w))}
		stored += f.Count
		at := slices.IndexFunc(s.Formats, func(g FormatStats) bool { return g.Format == c.Format })
		if at < 0 {
			s.Formats = append(s.Formats, f)
			continue
		}
		s.Formats[at].Count += f.Count
		s.Formats[at].Bytes += f.Bytes
	}
	slices.SortStableFunc(s.Formats, func(f, g FormatStats) int { return f.Format.Bytes - g.Format.Bytes })
	s.Bytes += b.slots.bytes()
	return stored
}

// scaleBytes is the size of the row units.
func (b *builder) scaleBytes() int64 {
	n := int64(4 * len(b.part.tol.exp))
	for _, q := range b.part.places {
		if q.byTheta {
			return n + int64(8*len(b.part.tol.theta))
		}
	}
	return n
}
