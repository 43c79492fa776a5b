package adaptive

import (
	"cmp"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Stats counts the elements and bytes of a stored matrix.
type Stats struct {
	Formats []FormatStats // from the narrowest to the widest, of those in use
	NNZ     int           // nonzeros of the matrix that was stored
	Dropped int           // of NNZ, not stored
	InSlots int           // of NNZ, stored in slots; 0 in the layouts CSR and Bucketed
	Scales  int64         // bytes of row units
	Bytes   int64         // in all, indices included
	Work    int64         // bytes of sums that a product needs besides, of a symmetric matrix
}

// FormatStats is the part of one format; an unsigned format counts both signs.
type FormatStats struct {
	Format formats.Format
	Count  int
	Bytes  int64 // values, column indices and row offsets
}

// PerNonzero returns the bytes per nonzero of the matrix that was stored.
func (s Stats) PerNonzero() float64 { return float64(s.Bytes) / float64(max(s.NNZ, 1)) }

// Add returns the Stats of two matrices together.
func (s Stats) Add(o Stats) Stats {
	for _, f := range o.Formats {
		k := slices.IndexFunc(s.Formats, func(g FormatStats) bool { return g.Format == f.Format })
		if k < 0 {
			s.Formats = append(slices.Clip(s.Formats), f)
			slices.SortStableFunc(s.Formats, func(a, b FormatStats) int { return cmp.Compare(a.Format.Bytes, b.Format.Bytes) })
			continue
		}
		s.Formats = slices.Clone(s.Formats)
		s.Formats[k].Count += f.Count
		s.Formats[k].Bytes += f.Bytes
	}
	s.NNZ += o.NNZ
	s.Dropped += o.Dropped
	s.InSlots += o.InSlots
	s.Scales += o.Scales
	s.Bytes += o.Bytes
	s.Work += o.Work
	return s
}

// Predict returns the Stats that Build would give in bucketed CSR, without
// building.
func Predict(m *csr.Matrix, s Spec, pool *parallel.Pool) (Stats, error) {
	b, err := newBuilder(m, s, pool)
	if err != nil {
		return Stats{}, err
	}
	a, err := b.assign()
	if err != nil {
		return Stats{}, err
	}
	return bucketStats(b, a), nil
}

// bucketStats returns the Stats of a matrix in bucketed CSR.
func bucketStats(b *builder, a assigned) Stats {
	s := Stats{NNZ: a.nnz, Scales: b.scaleBytes()}
	s.Bytes = s.Scales
	stored := 0
	for k, p := range a.ptr {
		if p == nil {
			continue
		}
		n := int(p[b.m.Rows])
		bytes := int64(4*len(p) + n*(4+b.part.Codecs[k].Bytes) + formats.Padding)
		if last := len(s.Formats) - 1; last >= 0 && s.Formats[last].Format == b.part.Codecs[k].Format {
			s.Formats[last].Count += n
			s.Formats[last].Bytes += bytes
		} else {
			s.Formats = append(s.Formats, FormatStats{b.part.Codecs[k].Format, n, bytes})
		}
		s.Bytes += bytes
		stored += n
	}
	s.Dropped = s.NNZ - stored
	return s
}

// slotStats returns the Stats of a matrix in slots of so many bytes, see Quantizer.Stats.
func slotStats(b *builder, nnz int, bytes int64, stored func(formats.Format) (elements int, bytes int64)) Stats {
	s := Stats{NNZ: nnz, Scales: b.scaleBytes()}
	s.Bytes = s.Scales + bytes
	for _, c := range b.part.Codecs {
		f := FormatStats{Format: c.Format}
		if f.Count, f.Bytes = stored(c.Format); f.Count > 0 {
			s.Formats = append(s.Formats, f)
			s.InSlots += f.Count
		}
	}
	s.Dropped = s.NNZ - s.InSlots
	return s
}

// scaleBytes is the size of the row units.
func (b *builder) scaleBytes() int64 {
	n := int64(4 * len(b.part.Tol.Exp))
	if b.part.StoredByTheta() {
		n += int64(8 * len(b.part.Tol.Theta))
	}
	return n
}
