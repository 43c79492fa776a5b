package dist

import (
	"encoding/binary"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// moveBytes is about the number of bytes that a rank sends at a time.
const moveBytes = 32 << 20

// Move returns the rows that this rank owns, given rows first, first + 1, ... of a matrix in s: each rank has some
// rows, and each row is on one rank. Columns are those of the whole on all ranks, or on none. At most about
// 32 MiB of a rank are in flight at a time. It is collective.
func Move(c Comm, s Slab, first int64, d Domains) (Slab, error) {
	return moveRows(c, s, first, d, moveBytes)
}

// moveRows is Move with so many bytes at a time.
func moveRows(c Comm, s Slab, first int64, d Domains, most int64) (Slab, error) {
	v := &move{c: c, m: s, first: first, most: most, column: 4}
	if s.Columns != nil {
		v.column = 8
	}
	spans := d.Spans(c.Size())
	for _, to := range spans {
		v.ends = append(v.ends, int(min(max(to.End-first, 0), int64(s.Rows))))
	}
	v.run()
	if s.Columns == nil {
		return Slab{Matrix: v.matrix()}, nil
	}
	own, err := NewSlab(spans[c.Rank()].From, Rows{v.ptr, Numbers[int64](v.cols), v.val})
	return own, agreed(c, err)
}

// matrix returns the rows that have come, with columns of 4 bytes.
func (v *move) matrix() *csr.Matrix {
	return &csr.Matrix{Rows: len(v.ptr) - 1, Cols: v.m.Cols, RowPtr: v.ptr, Col: Numbers[int32](v.cols), Val: v.val}
}

// move sends rows of each rank to others.
type move struct {
	c      Comm
	m      Slab
	first  int64 // on a rank, the rows of several ranks come in the order of their numbers from here on
	ends   []int // the rows before ends[r] go to ranks up to r
	most   int64 // bytes to send at a time, about
	column int64 // bytes of a column in messages: 8 where columns are those of the whole
	sent   int   // rows of m

	ptr  []int64 // the rows of this rank
	cols []byte
	val  []float64

	begin   []int64 // where the rows from each rank begin
	row, at []int64 // where the next data from each rank belong: the row, and the position of its nonzeros
}

// run sends the rows.
func (v *move) run() {
	v.receive()
	for {
		var sent bool
		to := v.messages(&sent)
		if !Any(v.c, sent) {
			return
		}
		for from, b := range v.c.Alltoall(to) {
			v.put(from, b)
		}
	}
}

// receive makes room for the rows of this rank: ranks announce how much they will send.
func (v *move) receive() {
	to := make([][]byte, v.c.Size())
	for r := range to {
		from, end := v.part(r)
		if from == end {
			continue
		}
		to[r] = Bytes([]int64{v.first + int64(from), int64(end - from), v.m.RowPtr[end] - v.m.RowPtr[from]})
	}
	v.row, v.at = make([]int64, len(to)), make([]int64, len(to))
	var announced [][]int64 // first row, rows, nonzeros and rank
	for r, b := range v.c.Alltoall(to) {
		if len(b) > 0 {
			announced = append(announced, append(slices.Clone(Numbers[int64](b)), int64(r)))
		}
	}
	slices.SortFunc(announced, slices.Compare[[]int64])
	var rows, nnz int64
	for _, a := range announced {
		v.row[a[3]], v.at[a[3]] = rows, nnz
		rows, nnz = rows+a[1], nnz+a[2]
	}
	v.begin = slices.Clone(v.row)
	v.ptr, v.val = make([]int64, rows+1), make([]float64, nnz)
	v.cols = Bytes(make([]int64, (v.column*nnz+7)/8))[:v.column*nnz]
}

// part returns the rows of m that go to rank r.
func (v *move) part(r int) (from, end int) {
	if r > 0 {
		from = v.ends[r-1]
	}
	return from, v.ends[r]
}

// messages returns the next rows for each rank.
func (v *move) messages(sent *bool) [][]byte {
	to := make([][]byte, v.c.Size())
	room := v.most
	for r := range to {
		from, end := v.part(r)
		from = max(from, v.sent)
		if from >= end {
			continue
		}
		stop, _ := slices.BinarySearchFunc(v.m.RowPtr[from+1:end+1], v.m.RowPtr[from]+room/(8+v.column), func(at, most int64) int { return int(at - most) })
		stop = min(from+stop+1, from+1+int(room/8), end)
		to[r] = v.message(from, stop)
		v.sent, *sent = stop, true
		if room -= int64(len(to[r])); room <= 0 || stop < end {
			break
		}
	}
	return to
}

// message packs rows: their number, the number of nonzeros, the number in each row, values and columns.
func (v *move) message(from, end int) []byte {
	a, z := v.m.RowPtr[from], v.m.RowPtr[end]
	b := make([]byte, 0, 16+8*int64(end-from)+(8+v.column)*(z-a))
	b = append(b, Bytes([]int64{int64(end - from), z - a})...)
	b = append(b, Bytes(v.m.RowPtr[from+1:end+1])...)
	b = append(b, Bytes(v.m.Val[a:z])...)
	if v.m.Columns == nil {
		return append(b, Bytes(v.m.Col[a:z])...)
	}
	for _, j := range v.m.Col[a:z] {
		b = binary.NativeEndian.AppendUint64(b, uint64(v.m.Columns[j]))
	}
	return b
}

// put stores the rows of a message.
func (v *move) put(from int, b []byte) {
	if len(b) == 0 {
		return
	}
	head := Numbers[int64](b[:16])
	rows, nnz := head[0], head[1]
	b = b[16:]
	ends, b := Numbers[int64](b[:8*rows]), b[8*rows:]
	row, at := v.row[from], v.at[from]
	shift := at + nnz - ends[rows-1]
	for i, end := range ends {
		v.ptr[row+int64(i)+1] = end + shift
	}
	copy(v.val[at:], Numbers[float64](b[:8*nnz]))
	copy(v.cols[v.column*at:], b[8*nnz:])
	v.row[from], v.at[from] = row+rows, at+nnz
}
