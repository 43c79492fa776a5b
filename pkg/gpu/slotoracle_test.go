package gpu

import (
	"math"
)

// slotOracle is a matrix in slots, read back from a device.
type slotOracle struct {
	block, slots, long int // size of blocks, and the numbers of blocks of the two kernels
	ptr, stream        []uint32
	exps               []int32
	row, first         []uint32
	y                  []float64 // products of the rows with x
	by                 []finisher
}

// finisher is who finishes a row.
type finisher struct{ block, thread, row int }

func readBack(a Matrix) *slotOracle {
	t := a.(*deviceMatrix).stored.(*slotStorage)
	o := &slotOracle{block: t.block, ptr: make([]uint32, t.slices), exps: make([]int32, 1)}
	if t.own == 1 {
		o.exps = make([]int32, a.(*deviceMatrix).rows)
	}
	o.row = make([]uint32, t.long.rows)
	if t.long.rows > 0 {
		o.first = make([]uint32, t.long.rows+1)
	}
	o.stream = make([]uint32, t.stream.bytes/4)
	download(a.(*deviceMatrix).d, o.ptr, t.ptr)
	download(a.(*deviceMatrix).d, o.stream, t.stream)
	download(a.(*deviceMatrix).d, o.exps, t.exps)
	download(a.(*deviceMatrix).d, o.row, t.long.row)
	download(a.(*deviceMatrix).d, o.first, t.long.start)
	o.slots, o.long = int(t.sliceBlocks()), int(t.long.blocks())
	return o
}

// integer is that of a lane in words of `width` bits for each, bit by bit.
func integer(words []uint32, lane, width int) float64 {
	m := -int64(1) << (width - 1)
	for k := range width {
		bit := lane*width + k
		m += int64(words[bit/32]>>(bit%32)&1) << k
	}
	return float64(m)
}

// multiply computes y = A x for a matrix of so many rows, and who finishes which row.
func (o *slotOracle) multiply(x []float64, rows int) {
	b := o.block
	o.y, o.by = make([]float64, rows), nil
	var side []float64
	for c, at := range o.ptr {
		s := o.stream[at:]
		first, how := int(s[0]), s[1]
		shift, count, runs := int(how&7), int(how>>3&63), int(how>>11)
		next := 2 + 2*runs
		order := s[next:]
		if how&isOrdered != 0 {
			next += (count + 1) / 2
		}
		sums := make([][6]float64, warp)
		for r := range runs {
			base, what := int(int32(s[2+2*r])), s[3+2*r]
			width, kind, n := int(what&63), what>>6&3, int(what>>8)
			cols := s[next:]
			if next += 16 * n; kind == onDiagonal {
				next += n - 16*n
			}
			for k := range n {
				for lane := range count << shift {
					at := base + b*int(cols[(warp*k+lane)/2%len(cols)]>>(lane%2*16)&0xffff)
					if kind == onDiagonal {
						at = first + lane + int(int32(cols[k]))
					}
					for e := range b * b {
						words := s[next+(k*b*b+e)*width:]
						var v float64
						if kind == asFloat {
							v = float64(math.Float32frombits(words[lane]))
						} else {
							v = integer(words, lane, width)
						}
						sums[lane][e%b] = math.FMA(v, x[at+e/b], sums[lane][e%b])
					}
				}
			}
			next += n * b * b * width
		}
		for m := 1 << shift / 2; m > 0; m /= 2 {
			for l := range warp {
				if l%(1<<shift) < m {
					for e := range b {
						sums[l][e] += sums[l+m][e]
					}
				}
			}
		}
		for k := range count {
			if how&isSegment != 0 {
				side = append(side, sums[0][:b]...)
				continue
			}
			row := first + k
			if how&isOrdered != 0 {
				row = first + int(order[k/2]>>(k%2*16)&0xffff)
			}
			for e := range b {
				o.y[b*row+e] = sums[k<<shift][e]
				o.by = append(o.by, finisher{c / 8 % o.slots, c%8*warp + k<<shift, b*row + e})
			}
		}
	}
	for k := range len(o.row) * b {
		lanes := make([]float64, warp)
		for s := o.first[k/b]; s < o.first[k/b+1]; s++ {
			lanes[(s-o.first[k/b])%warp] += side[int(s)*b+k%b]
		}
		row := int(o.row[k/b])*b + k%b
		o.y[row] = tree(lanes, plus64)
		o.by = append(o.by, finisher{o.slots + k/8%o.long, k % 8 * warp, row})
	}
	for i := range o.y {
		o.y[i] = math.Ldexp(o.y[i], int(o.exps[min(i, len(o.exps)-1)])+1)
	}
}

// dot is u·w as the kernels add it up.
func (o *slotOracle) dot(u, w []float64) float64 {
	p := make(partials, o.slots+o.long)
	for _, f := range o.by {
		p.add(f.block, f.thread, u[f.row], w[f.row])
	}
	return p.total()
}
