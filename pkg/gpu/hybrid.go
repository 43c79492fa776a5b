package gpu

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// hybridStorage is ELL for the first elements of each row and COO for what longer rows have besides, in
// FP64: COO alone if ELL has no column, ELL alone if COO has no element. See source/hybrid.c.
type hybridStorage struct {
	rows, width, stride int
	col, val            buffer // of ELL, column by column

	count, tiles, carries  uint32 // of COO: elements, tiles, and rows in several of them
	cooRow, cooCol, cooVal buffer
	carryRow, cut, carry   buffer // these rows, their tiles but the first, and the sums in each tile
	sums                   buffer // of rows; those without elements stay zero

	stats adaptive.Stats
	text  string
}

// cooTile is TILE of source/hybrid.c.
const cooTile = 4 * threads

// ellStride is the number that columns of ELL have a multiple of, so that warps load whole lines.
const ellStride = 32

// storeHybrid stores a matrix in FP64 with as many columns of ELL as width says.
func storeHybrid(text string, width func(*csr.Matrix) (int, error)) func(*Device, *csr.Matrix, adaptive.Spec, *parallel.Pool) (Matrix, error) {
	return func(d *Device, m *csr.Matrix, _ adaptive.Spec, _ *parallel.Pool) (Matrix, error) {
		w, err := width(m)
		if err != nil {
			return nil, err
		}
		return newHybrid(d, m, w, text)
	}
}

func newHybrid(d *Device, m *csr.Matrix, width int, text string) (Matrix, error) {
	s := &hybridStorage{rows: m.Rows, width: width, stride: (m.Rows + ellStride - 1) / ellStride * ellStride, text: text}
	if places := int64(width) * int64(s.stride); max(places, int64(m.NNZ())) > MostNonzeros {
		return nil, fmt.Errorf("gpu: %d elements in ELL for %d nonzeros; at most %d of each can be counted", places, m.NNZ(), MostNonzeros)
	}
	col, val := make([]int32, width*s.stride), make([]float64, width*s.stride)
	var rows, cols []int32
	var vals []float64
	for i := range m.Rows {
		c, v := m.Row(i)
		for k := range min(len(c), width) {
			col[k*s.stride+i], val[k*s.stride+i] = c[k], v[k]
		}
		if len(c) == 0 {
			continue
		}
		for k := len(c); k < width; k++ {
			col[k*s.stride+i] = c[len(c)-1]
		}
		for k := width; k < len(c); k++ {
			rows, cols, vals = append(rows, int32(i)), append(cols, c[k]), append(vals, v[k])
		}
	}
	s.col, s.val = put(d, col), put(d, val)
	if len(rows) > 0 {
		s.putCOO(d, rows, cols, vals)
	}
	return made(d, m.Rows, m.Cols, s)
}

// putCOO stores the elements of COO.
func (s *hybridStorage) putCOO(d *Device, rows, cols []int32, vals []float64) {
	s.count, s.tiles = uint32(len(rows)), uint32((len(rows)+cooTile-1)/cooTile)
	var row, cut []uint32
	for tile := 1; tile < int(s.tiles); tile++ {
		switch i := uint32(rows[tile*cooTile]); {
		case uint32(rows[tile*cooTile-1]) != i:
		case len(row) > 0 && row[len(row)-1] == i:
			cut[len(cut)-1]++
		default:
			row, cut = append(row, i), append(cut, uint32(tile), uint32(tile+1))
		}
	}
	s.carries = uint32(len(row))
	s.cooRow, s.cooCol, s.cooVal = put(d, rows), put(d, cols), put(d, vals)
	s.carryRow, s.cut, s.carry = put(d, row), put(d, cut), d.alloc(8*int64(s.tiles))
	s.sums = put(d, make([]float64, s.rows))
}

func (s *hybridStorage) describe() (adaptive.Stats, string) { return s.stats, s.text }

func (s *hybridStorage) buffers() []*buffer {
	return []*buffer{&s.col, &s.val, &s.cooRow, &s.cooCol, &s.cooVal, &s.carryRow, &s.cut, &s.carry, &s.sums}
}

func (s *hybridStorage) blocks() uint32 { return blocksFor(s.rows, rowBlocks) }

func (s *hybridStorage) multiply(d *Device, p *product) {
	more := uint32(0)
	if s.count > 0 {
		more = 1
		launch(d, min(s.tiles, rowBlocks), spmvCoo{
			tiles: s.tiles, count: s.count, row: s.cooRow, col: s.cooCol, val: s.cooVal, x: p.x, carry: s.carry, sums: s.sums,
		})
		if s.carries > 0 {
			launch(d, blocksFor(int(s.carries), rowBlocks), spmvCooCarry{count: s.carries, row: s.carryRow, cut: s.cut, carry: s.carry, sums: s.sums})
		}
	}
	launchParts(d, s.blocks(), spmvEll{
		rows: uint32(s.rows), width: uint32(s.width), stride: uint32(s.stride), col: s.col, val: s.val, more: more, sums: s.sums, product: *p,
	})
}
