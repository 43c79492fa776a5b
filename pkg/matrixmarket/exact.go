package matrixmarket

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// MaxParts is the largest number of float64 that hold a value: they have 1696 bits.
const MaxParts = 32

// checkParts checks Options.Parts, for a file with that header.
func checkParts(opt Options, h Header) error {
	switch {
	case opt.Parts < 0 || opt.Parts > MaxParts:
		return fmt.Errorf("matrixmarket: values of %d parts: there can be 1 to %d", opt.Parts, MaxParts)
	case opt.Parts > 1 && h.Field == Complex:
		return errors.New("complex values have one part")
	}
	return nil
}

// keepRest keeps what the decimal number s has beyond v, its nearest float64, as the rest of entry b.entries.
func (b *block) keepRest(s string, v float64, parts int) {
	var rest [MaxParts - 1]float64
	splitRest(rest[:parts-1], s, v)
	for k, low := range rest[:parts-1] {
		if low == 0 {
			continue
		}
		for len(b.low) <= k {
			b.low = append(b.low, nil)
		}
		if b.low[k] == nil {
			b.low[k] = make([]float64, len(b.val))
		}
		b.low[k][b.entries] = low
	}
}

// splitRest sets rest, which is zero, to the decimal number s less v, its nearest float64: each element to the float64 that
// is nearest to the remainder that the elements in front of it leave.
func splitRest(rest []float64, s string, v float64) {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return
	}
	decimal, _ := normalise(s)
	if w, e, ok := shortDecimal(decimal); ok {
		// What a product or a quotient of such numbers leaves is exact in one FMA.
		if e >= 0 {
			rest[0] = math.FMA(w, powersOf10[e], -v)
			return
		}
		d := powersOf10[-e]
		left := math.FMA(-v, d, w)
		for k := 0; k < len(rest) && left != 0; k++ {
			rest[k] = left / d
			left = math.FMA(-rest[k], d, left)
		}
		return
	}
	for bits := 53*(len(rest)+1) + 64; !splitBig(rest, decimal, v, bits); bits *= 2 {
	}
}

// splitBig is splitRest by a big number of so many bits. It reports whether they were enough: zeros within a number, as in
// 40000000000000.000000001, take bits too.
func splitBig(rest []float64, decimal string, v float64, bits int) bool {
	const (
		guard = 32
		least = -1074 // the exponent of the least float64
	)
	left, _, err := big.ParseFloat(decimal, 10, uint(bits), big.ToNearestEven)
	if err != nil {
		return true // an exponent beyond all of big: v would be 0 or infinite
	}
	exact, end := left.Acc() == big.Exact, left.MantExp(nil)-bits
	part := new(big.Float)
	left.Sub(left, part.SetFloat64(v))
	for k := 0; k < len(rest); k++ {
		if !exact && end > least-guard && (left.Sign() == 0 || left.MantExp(nil)-end < 53+guard) {
			return false
		}
		rest[k], _ = left.Float64()
		left.Sub(left, part.SetFloat64(rest[k]))
	}
	return true
}

// shortDecimal takes a number that normalise returned apart into w 10^e, if w is a whole number below 2^53 and |e| is at most 22.
func shortDecimal(s string) (w float64, e int, ok bool) {
	const longest = 17 // a sign and 16 digits
	mantissa, exponent, _ := strings.Cut(s, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if len(whole)+len(fraction) > longest {
		return 0, 0, false
	}
	if exponent != "" {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil {
			return 0, 0, false
		}
	}
	e -= len(fraction)
	n, err := strconv.ParseInt(whole+fraction, 10, 64)
	most := len(powersOf10) - 1
	return float64(n), e, err == nil && -1<<53 < n && n < 1<<53 && -most <= e && e <= most
}

// entry is an entry of a matrix, or of a vector as a matrix of one column.
type entry struct {
	row, col int32
	val      float64
}

// keepLost appends what the sum of a and b, of entry (i, j), loses to rounding.
func keepLost(list []entry, a, b float64, i, j int32) []entry {
	s := a + b
	v := s - a
	e := (a - (s - v)) + (b - v)
	if e == 0 || math.IsNaN(e) || math.IsInf(e, 0) { // not finite: the sum is not either
		return list
	}
	return append(list, entry{i, j, e})
}

// losses appends what sums of entries of the same column, which are side by side, lose to rounding, up to column last.
func (r row) losses(list []entry, i, last int32) []entry {
	sum := 0.0
	for k, v := range r.val {
		j := column(r.col[k])
		if k == 0 || j != column(r.col[k-1]) {
			sum = 0
		} else if j <= last {
			list = keepLost(list, sum, v, i, j)
		}
		sum += v
	}
	return list
}

// lower puts the parts of values below the first at their positions, from the blocks that c is made of.
func (r *reading) lower(ctx context.Context, c *Content, blocks []*block) error {
	if r.parts == 1 {
		return nil
	}
	lost := r.lost
	for k := 0; k < r.parts-1 || len(lost) > 0; k++ {
		next := &reading{parser: r.parser, in: r.in, pre: r.pre, threads: r.threads, limit: r.limit, shares: 1}
		for _, b := range blocks {
			low := *b
			low.val = nil
			if k < len(b.low) {
				low.val, b.low[k] = b.low[k], nil
			}
			if low.val != nil || r.Format == Array { // the values of an array are counted
				next.blocks = append(next.blocks, &low)
			}
		}
		if len(lost) > 0 {
			next.blocks = append(next.blocks, blockOf(lost))
		}
		part := &Content{Header: r.Header, Rows: r.rows, Cols: r.cols, Counts: Counts{Zeros: 1}, limit: r.limit}
		if err := next.place(ctx, part, false); err != nil {
			return err
		}
		if lost = next.lost; part.holdsAny() {
			c.Lower = append(c.Lower, part)
		}
	}
	return nil
}

// blockOf returns a block of entries that stand nowhere in the text.
func blockOf(list []entry) *block {
	b := &block{entries: len(list), extent: noExtent}
	b.reserve(Header{Format: Coordinate, Object: matrixObject, Field: Real}, len(list))
	for k, e := range list {
		b.row[k], b.col[k], b.val[k] = e.row, e.col, e.val
		b.minRow, b.maxRow = min(b.minRow, e.row), max(b.maxRow, e.row)
		b.minCol, b.maxCol = min(b.minCol, e.col), max(b.maxCol, e.col)
	}
	return b
}

// holdsAny reports whether there is a value that is not zero.
func (c *Content) holdsAny() bool {
	if c.Matrix != nil {
		return c.Matrix.NNZ() > 0
	}
	return slices.ContainsFunc(c.Dense, func(v float64) bool { return v != 0 })
}
