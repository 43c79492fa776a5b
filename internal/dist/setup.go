package dist

import (
	"cmp"
	"encoding/binary"
	"slices"
	"unsafe"
)

// Copy sets the ghosts of x to the elements that they are copies of. Unlike Halo.Exchange it keeps no connections; it
// is for setting up. It is collective.
func Copy[T any](h *Halo, x []T) {
	in := swap(h, x, false)
	for _, c := range h.local {
		x[c.to] = x[c.from]
	}
	for k, l := range h.links {
		for i, v := range in[k] {
			x[l.recv[i]] = v
		}
	}
}

// Raise sets each element of x, and its ghosts, to the largest of the element and its ghosts. It is collective.
func Raise[T cmp.Ordered](h *Halo, x []T) {
	Fold(h, x, func(a, b T) T { return max(a, b) })
	Copy(h, x)
}

// Fold joins each ghost of x to the element that it is a copy of, in the order of the domains that have the ghosts. Ghosts do not change.
// It is collective.
func Fold[T any](h *Halo, x []T, join func(a, b T) T) {
	in := swap(h, x, true)
	here := func() {
		for _, c := range h.local {
			x[c.from] = join(x[c.from], x[c.to])
		}
	}
	done := false
	for k, l := range h.links { // by rank; the domains of a rank follow those of the rank before
		if l.rank > h.comm.Rank() && !done {
			here()
			done = true
		}
		for i, v := range in[k] {
			x[l.send[i]] = join(x[l.send[i]], v)
		}
	}
	if !done {
		here()
	}
}

// swap sends the elements of x that other ranks have ghosts of, or back the ghosts, and returns what came by each link. Both ends of a link
// know the lengths, so that only they exchange messages. It is collective.
func swap[T any](h *Halo, x []T, back bool) [][]T {
	var send, recv []Channel
	var zero T
	size := int(unsafe.Sizeof(zero))
	ends := func(l link) (out, in []int32) {
		if back {
			return l.recv, l.send
		}
		return l.send, l.recv
	}
	for _, l := range h.links {
		out, in := ends(l)
		if len(out) > 0 {
			send = append(send, Channel{l.rank, size * len(out)})
		}
		if len(in) > 0 {
			recv = append(recv, Channel{l.rank, size * len(in)})
		}
	}
	c := h.comm.Connect(send, recv)
	defer c.Close()
	k := 0
	for _, l := range h.links {
		if out, _ := ends(l); len(out) > 0 {
			copy(c.Out(k), pick(x, out))
			k++
		}
	}
	c.Start()
	c.Wait()
	all := make([][]T, len(h.links))
	k = 0
	for i, l := range h.links {
		if _, in := ends(l); len(in) > 0 {
			all[i] = slices.Clone(numbers[T](c.In(k)))
			k++
		}
	}
	return all
}

// pick returns the elements of x at these positions as bytes.
func pick[T any](x []T, at []int32) []byte {
	v := make([]T, len(at))
	for k, i := range at {
		v[k] = x[i]
	}
	return raw(v)
}

// raw returns x as bytes, in the same memory.
func raw[T any](x []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(zero)))
}

// anyRank reports whether v is true on any rank. It is collective.
func anyRank(c Comm, v bool) bool {
	x := []int64{0}
	if v {
		x[0] = 1
	}
	c.Max(x)
	return x[0] == 1
}

// Transposed returns a_ji for each element a_ij of these rows, own rows by their positions, in the order of the
// elements. It is collective; each rank passes its own rows.
func (m *Matrix) Transposed(rows []int) []float64 {
	c := m.Comm
	starts, total := make([]int, len(rows)+1), 0
	for k, i := range rows {
		total += int(m.Local.RowPtr[i+1] - m.Local.RowPtr[i])
		starts[k+1] = total
	}
	partner := make([]float64, total)
	asked := make([][]byte, c.Size()) // row and column, of the partner
	slots := make([][]int, c.Size())  // of elements: there may be more than rows fit in 32 bits
	for r, i := range rows {
		p := m.Parts[m.Part(i)]
		cols, _ := m.Local.Row(i)
		for k, j := range cols {
			at := starts[r] + k
			if int(j) >= p.First() && int(j) < p.End() {
				partner[at] = m.Local.At(int(j), i)
				continue
			}
			row := p.global(int(j) - p.At)
			owner := m.Domains.Owner(m.Domains.Of(row), c.Size())
			asked[owner] = binary.LittleEndian.AppendUint64(asked[owner], uint64(row))
			asked[owner] = binary.LittleEndian.AppendUint64(asked[owner], uint64(p.Row+int64(i-p.First())))
			slots[owner] = append(slots[owner], at)
		}
	}
	answers := make([][]byte, c.Size())
	for r, b := range c.Alltoall(asked) {
		for ; len(b) > 0; b = b[16:] {
			i, j := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))
			answers[r] = append(answers[r], raw([]float64{m.at(i, j)})...)
		}
	}
	for r, b := range c.Alltoall(answers) {
		for k, v := range numbers[float64](b) {
			partner[slots[r][k]] = v
		}
	}
	return partner
}

// at returns the element of an own row in any column.
func (m *Matrix) at(row, col int64) float64 {
	i := m.own(row)
	p := m.Parts[m.Part(i)]
	k := p.position(col)
	if k >= p.Next()-p.At || p.global(k) != col {
		return 0
	}
	return m.Local.At(i, p.At+k)
}

// Pattern returns the columns of these rows, which are ascending, on every rank. It is collective; all ranks pass the
// same rows.
func (m *Matrix) Pattern(rows []int64) [][]int64 {
	var own []byte
	for _, row := range rows {
		if m.Domains.Owner(m.Domains.Of(row), m.Comm.Size()) != m.Comm.Rank() {
			continue
		}
		i := m.own(row)
		p := m.Parts[m.Part(i)]
		cols, _ := m.Local.Row(i)
		own = binary.AppendUvarint(own, uint64(len(cols)))
		for _, j := range cols {
			own = binary.AppendUvarint(own, uint64(p.global(int(j)-p.At)))
		}
	}
	all := slices.Concat(m.Comm.Gather(own)...)
	next := func() int64 {
		v, n := binary.Uvarint(all)
		all = all[n:]
		return int64(v)
	}
	columns := make([][]int64, len(rows))
	for k := range columns {
		columns[k] = make([]int64, next())
		for e := range columns[k] {
			columns[k][e] = next()
		}
	}
	return columns
}

// ByDomain returns the numbers of all domains, in their order; own holds the numbers of this rank's domains, equally
// many for each. It is collective.
func (l *Layout) ByDomain(own []float64) []float64 {
	return numbers[float64](slices.Concat(l.Comm.Gather(raw(own))...))
}
