package kernels

import (
	"math"
)

// symmetricKernels are the kernels of half of a symmetric matrix.
type symmetricKernels struct {
	symmetric      symmetricKernel
	symmetricMulti symmetricMultiKernel
}

var portableSymmetric = symmetricKernels{
	symmetric:      mulSymmetric,
	symmetricMulti: mulSymmetricMulti,
}

// SumStride returns the number of elements for the sums of a block of size b: b rounded up to a power of two, so that
// one or two instructions add a block.
func SumStride(b int) int {
	switch {
	case b > 4:
		return 8
	case b > 2:
		return 4
	}
	return 2
}

// SymmetricRange gives the block rows of a panel of MulSymmetric: Rows block rows from Row on. Sums is the block row
// of the first sums.
type SymmetricRange struct{ Row, Rows, Sums int }

// MulSymmetric adds to sums the products of a panel with the lower triangle of a symmetric matrix, and of the
// transpose of the part below its diagonal; there are SumStride sums for each block row from r.Sums on.
//
// The slots hold blocks of size p.Block, at least 2, whose index and base count block columns. Three kinds of groups
// differ from those of MulSlots: Diagonal groups hold the blocks on the diagonal of the rows of the slice and need no
// index; groups of float32 hold blocks below the diagonal; the others hold blocks below it that also count for their
// columns. Each sum has a fixed order of additions, the same in all sets.
func (k *Set) MulSymmetric(sums []float64, p *SlotPanel, x []float64, r SymmetricRange) {
	k.symmetric(sums, p, x, r)
}

type symmetricKernel = func(sums []float64, p *SlotPanel, x []float64, r SymmetricRange)

// mulSymmetric is MulSymmetric in portable Go, operation by operation what the assembly does.
func mulSymmetric(sums []float64, p *SlotPanel, x []float64, r SymmetricRange) {
	oneOf{1, 0}.mulSymmetric(sums, SumStride(p.Block), p, x, r)
}

// mulSymmetric is mulSymmetric for one of several vectors, with stride sums for each block row.
func (o oneOf) mulSymmetric(sums []float64, stride int, p *SlotPanel, x []float64, r SymmetricRange) {
	c := symmetricSlice{oneOf: o, b: p.Block, stream: p.stream(), x: x, sums: sums, stride: stride, from: r.Sums}
	done, begins, widths, index, values := 0, true, p.Widths, p.Index, p.Values
	for _, g := range p.Groups {
		if begins {
			c.begin(p, &r, done)
		}
		for k := range int(g.Slots) {
			var columns [Lanes]int
			if g.Flags&Diagonal != 0 {
				columns = c.rows
			} else {
				for l := range columns {
					columns[l] = int(g.Base) + int(index[l])
				}
				index = index[Lanes:]
			}
			c.slot(values, int(widths[k]), g.Flags, &columns)
			values = values[c.b*int(widths[k]):]
		}
		widths = widths[g.Slots:]
		begins = g.Flags&Last != 0
		if begins {
			c.end()
			done += c.n
		}
	}
}

// symmetricSlice is a SELL slice of block rows in a product with a symmetric matrix.
type symmetricSlice struct {
	oneOf
	b, stream, stride, from int
	x, sums                 []float64
	n                       int                      // block rows
	rows                    [Lanes]int               // block rows of the matrix
	own                     [MaxBlock][Lanes]float64 // x of the rows
	y                       [MaxBlock][Lanes]float64 // their sums
}

func (c *symmetricSlice) begin(p *SlotPanel, r *SymmetricRange, done int) {
	c.n = min(Lanes, r.Rows-done)
	c.own, c.y = [MaxBlock][Lanes]float64{}, [MaxBlock][Lanes]float64{}
	for l := range c.n {
		at := done + l
		if p.Order != nil {
			at = int(p.Order[at])
		}
		c.rows[l] = r.Row + at
		for i := range c.b {
			c.own[i][l] = c.x[c.at(c.b*c.rows[l]+i)]
		}
	}
}

// slot multiplies by the blocks of a slot, and by their transposes if they are below the diagonal.
func (c *symmetricSlice) slot(values []byte, width int, flags uint16, columns *[Lanes]int) {
	var t [MaxBlock][Lanes]float64 // products with the transposes
	for i := range c.b {
		for j := range c.b {
			var m [Lanes]float64
			slotValues(&m, values[i*c.stream+j*width:], width, flags)
			for l := range m {
				if flags&Diagonal != 0 {
					c.y[i][l] = math.FMA(m[l], c.own[j][l], c.y[i][l])
					continue
				}
				c.y[i][l] = math.FMA(m[l], c.x[c.at(c.b*columns[l]+j)], c.y[i][l])
				if i == 0 {
					t[j][l] = m[l] * c.own[0][l]
				} else {
					t[j][l] = math.FMA(m[l], c.own[i][l], t[j][l])
				}
			}
		}
	}
	if flags&Diagonal != 0 || flags&Float != 0 && width == 32 {
		return
	}
	for l, column := range columns { // lanes may share columns
		for j := range c.b {
			c.sums[c.at(c.stride*(column-c.from)+j)] += t[j][l]
		}
	}
}

func (c *symmetricSlice) end() {
	for l := range c.n {
		for i := range c.b {
			c.sums[c.at(c.stride*(c.rows[l]-c.from)+i)] += c.y[i][l]
		}
	}
}

// AddSums computes dst = unit * sums, or dst += unit * sums, for sums of blocks of size b, SumStride sums for each
// block; unit is a power of two.
func AddSums(dst, sums []float64, b int, unit float64, add bool) {
	stride := SumStride(b)
	dst = dst[:len(sums)/stride*b]
	if !add {
		clear(dst)
	}
	switch b {
	case 2, 4:
		for i, v := range sums[:len(dst)] {
			dst[i] += float64(unit * v)
		}
	case 3:
		for len(dst) >= 3 && len(sums) >= 4 {
			dst[0] += float64(unit * sums[0])
			dst[1] += float64(unit * sums[1])
			dst[2] += float64(unit * sums[2])
			dst, sums = dst[3:], sums[4:]
		}
	default:
		for len(dst) > 0 {
			for i, v := range sums[:b] {
				dst[i] += float64(unit * v)
			}
			dst, sums = dst[b:], sums[stride:]
		}
	}
}

// MaxVectors is the largest number of vectors that are multiplied at once.
const MaxVectors = 8

// oneOf is vector v of k that are interleaved.
type oneOf struct{ k, v int }

// at returns the position of element i of the vector.
func (o oneOf) at(i int) int { return o.k*i + o.v }

// MulSlotsMulti is MulSlots for k = 2, 4 or 8 vectors, with the same bits: element i of vector v is x[k*i+v], and
// likewise for dst.
func (s *Set) MulSlotsMulti(dst []float64, k int, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
	s.slotsMulti(dst, k, p, x, row0, d, add)
}

type slotsMultiKernel = func(dst []float64, k int, p *SlotPanel, x []float64, row0 int, d Units, add bool)

// mulSlotsMulti is MulSlotsMulti in portable Go, vector by vector.
func mulSlotsMulti(dst []float64, k int, p *SlotPanel, x []float64, row0 int, d Units, add bool) {
	for v := range k {
		oneOf{k, v}.mulSlots(dst, p, x, row0, &d, add)
	}
}

// MulSymmetricMulti is MulSymmetric for k = 2, 4 or 8 vectors, with the same bits: element i of vector v is x[k*i+v].
// There are k sums, one for each vector, for each row from the block row r.Sums on.
func (s *Set) MulSymmetricMulti(sums []float64, k int, p *SlotPanel, x []float64, r SymmetricRange) {
	s.symmetricMulti(sums, k, p, x, r)
}

type symmetricMultiKernel = func(sums []float64, k int, p *SlotPanel, x []float64, r SymmetricRange)

// mulSymmetricMulti is MulSymmetricMulti in portable Go, vector by vector.
func mulSymmetricMulti(sums []float64, k int, p *SlotPanel, x []float64, r SymmetricRange) {
	for v := range k {
		oneOf{k, v}.mulSymmetric(sums, p.Block, p, x, r)
	}
}
