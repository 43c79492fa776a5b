package dist

import (
	"encoding/binary"
	"slices"
)

// A Part is a domain of this rank, as a segment of its vectors.
type Part struct {
	Domain int
	Row    int64 // its first row in the whole matrix

	At                int // where the segment begins: at Next of the part before it or somewhat later
	Below, Own, Above int // numbers of its elements: ghosts of lower index, own ones, ghosts of higher index

	Ghosts []int64 // rows that the ghosts are copies of, ascending
}

// First returns the position of the first own element.
func (p *Part) First() int { return p.At + p.Below }

// End returns the position after the last own element.
func (p *Part) End() int { return p.At + p.Below + p.Own }

// Next returns the position after the segment.
func (p *Part) Next() int { return p.At + p.Below + p.Own + p.Above }

// global returns the row at position at of the segment, counted from its beginning.
func (p *Part) global(at int) int64 {
	switch {
	case at < p.Below:
		return p.Ghosts[at]
	case at < p.Below+p.Own:
		return p.Row + int64(at-p.Below)
	}
	return p.Ghosts[at-p.Own]
}

// position returns the position of a row in the segment, from its beginning; the row must be there.
func (p *Part) position(row int64) int {
	at, _ := p.find(row)
	return at
}

// find returns the position of a row in the segment, from its beginning, and whether it is there.
func (p *Part) find(row int64) (at int, ok bool) {
	if at := row - p.Row; at >= 0 && at < int64(p.Own) {
		return p.Below + int(at), true
	}
	at, ok = slices.BinarySearch(p.Ghosts, row)
	if at >= p.Below {
		at += p.Own
	}
	return at, ok
}

// A Layout is the layout of vectors on this rank. It is the same for all vectors of a matrix.
type Layout struct {
	Comm    Comm
	Domains Domains
	Parts   []Part // the domains of this rank, one after the other
	Len     int    // elements of a vector of this rank, including ghosts
	Own     int    // elements without ghosts

	Halo  *Halo
	Order *Order // of the rows, if it is not the one in which they were given

	held held
}

// NewLayout returns the layout of vectors whose parts, for the domains that this rank owns, have these ghosts: rows
// of other domains, ascending, by part. It is an error if a rank has more than 2^31-1 rows and ghosts. It is collective.
func NewLayout(c Comm, d Domains, ghosts [][]int64) (*Layout, error) {
	l := &Layout{Comm: c, Domains: d}
	first, _ := d.Owned(c.Rank(), c.Size())
	for k, rows := range ghosts {
		domain := first + k
		lo, hi := d.Start[domain], d.Start[domain+1]
		below, _ := slices.BinarySearch(rows, lo)
		if k > 0 {
			l.Len += max(0, apart-l.Parts[k-1].Above-below)
		}
		p := Part{Domain: domain, Row: lo, At: l.Len, Below: below, Own: int(hi - lo), Above: len(rows) - below, Ghosts: rows}
		l.Parts = append(l.Parts, p)
		l.Len = p.Next()
		l.Own += p.Own
	}
	if err := agreed(c, Fits(int64(l.Len))); err != nil {
		return nil, err
	}
	l.Halo = newHalo(l)
	return l, nil
}

// apart is the least number of positions between the own elements of two parts. Kernels that process several rows at
// a time may overwrite elements after the own ones.
const apart = 16

// Part returns the index of the part that has position at of a vector.
func (l *Layout) Part(at int) int {
	lo, hi := 0, len(l.Parts)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; l.Parts[mid].At <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Elements returns the number of elements of segments, including ghosts: unlike for Len, the sum over ranks does not
// depend on their number.
func (l *Layout) Elements() (n int) {
	for _, p := range l.Parts {
		n += p.Next() - p.At
	}
	return n
}

// Global returns the row at position at of a vector.
func (l *Layout) Global(at int) int64 {
	p := &l.Parts[l.Part(at)]
	return p.global(at - p.At)
}

// Given returns the number that was given to the row of the own element at position at of a vector, before Renumbered.
func (l *Layout) Given(at int) int64 {
	row := l.Global(at)
	if o := l.Order; o != nil {
		return o.own.other[row-o.own.spans[l.Comm.Rank()].From]
	}
	return row
}

// Spread sets dst, a vector, to the own elements in src, part after part, and ghosts to the elements of their owners.
// It is collective.
func (l *Layout) Spread(dst, src []float64) {
	l.SpreadOver(l.Domains, dst, src)
}

// Join sets dst to the own elements of src, a vector, part after part.
func (l *Layout) Join(dst, src []float64) {
	for _, p := range l.Parts {
		copy(dst, src[p.First():p.End()])
		dst = dst[p.Own:]
	}
}

// newHalo determines which rank needs which elements: ghosts ask the owners of their rows.
func newHalo(l *Layout) *Halo { return newHaloFrom(l, l, false) }

// newHaloFrom is newHalo for elements of vectors of layout to, ghosts or own ones, that are copies of own elements of vectors of layout from, of the
// same rows.
func newHaloFrom(from, to *Layout, own bool) *Halo {
	c := to.Comm
	h := &Halo{comm: c}
	asked := make([][]byte, c.Size()) // rows, by rank
	wanted := make([][]int32, c.Size())
	ask := func(p *Part, lo, hi int) {
		for at := lo; at < hi; at++ {
			row := p.global(at - p.At)
			owner := from.Domains.Owner(from.Domains.Of(row), c.Size())
			if owner == c.Rank() {
				h.local = append(h.local, copied{int32(at), int32(from.own(row))})
				continue
			}
			asked[owner] = binary.LittleEndian.AppendUint64(asked[owner], uint64(row))
			wanted[owner] = append(wanted[owner], int32(at))
		}
	}
	for k := range to.Parts {
		p := &to.Parts[k]
		if own {
			ask(p, p.First(), p.End())
		} else {
			ask(p, p.At, p.First())
			ask(p, p.End(), p.Next())
		}
	}
	for r, rows := range c.Alltoall(asked) {
		k := link{rank: r, recv: wanted[r]}
		for ; len(rows) > 0; rows = rows[8:] {
			k.send = append(k.send, int32(from.own(int64(binary.LittleEndian.Uint64(rows)))))
		}
		if len(k.send)+len(k.recv) > 0 {
			h.links = append(h.links, k)
		}
	}
	h.connect()
	return h
}

// Sources returns the positions of own elements that have ghosts elsewhere, ascending.
func (l *Layout) Sources() []int32 {
	var at []int32
	for _, k := range l.Halo.links {
		at = append(at, k.send...)
	}
	for _, k := range l.Halo.local {
		at = append(at, k.from)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// own returns the position of a row of this rank as an own element.
func (l *Layout) own(row int64) int {
	first, _ := l.Domains.Owned(l.Comm.Rank(), l.Comm.Size())
	p := l.Parts[l.Domains.Of(row)-first]
	return p.First() + int(row-p.Row)
}
