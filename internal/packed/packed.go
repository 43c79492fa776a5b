package packed

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Block is the number of elements that share a format.
const Block = 1024

// span is the number of blocks whose sum a thread computes; it does not depend on the number of threads.
const span = 16

// Vector is a vector in adaptive precision. Only DotBlocks and AxpyBlocks may be called from several goroutines at a
// time.
type Vector struct {
	n       int
	pool    *parallel.Pool
	kernels *kernels.Set
	theta   float64
	blocks  []block
	doubles []float64
	floats  []float32
	shorts  []int16
	partial []float64
}

// block says where the elements of a block are, and the unit of its integers.
type block struct {
	format Format
	at     int // in the slice of its format
	unit   float64
}

// New returns a zero vector of dimension n whose operations run on the threads of pool, with these kernels, nil for
// the default ones.
func New(n int, pool *parallel.Pool, k *kernels.Set) *Vector {
	v := &Vector{n: n, pool: pool, kernels: k.Or(), blocks: make([]block, (n+Block-1)/Block)}
	v.partial = make([]float64, v.spans())
	return v
}

// Pack stores a x by a rule, and sets x to the stored values. It reuses memory.
func (v *Vector) Pack(a float64, x []float64, rule Rule) {
	v.theta = rule.Theta
	v.run(func(k, lo, hi int) {
		for b := lo; b < hi; b++ {
			part := x[b*Block : v.end(b)]
			v.kernels.Scale(a, part)
			most := kernels.AbsMax(part)
			v.blocks[b] = block{format: rule.choose(most)}
			if v.blocks[b].format == Int16 {
				v.blocks[b].unit = unit(most)
			}
		}
	})
	var size [formatCount]int
	for b := range v.blocks {
		n := &size[v.blocks[b].format]
		v.blocks[b].at = *n
		*n += v.end(b) - b*Block
	}
	v.shorts, v.floats, v.doubles = sized(v.shorts, size[Int16]), sized(v.floats, size[FP32]), sized(v.doubles, size[FP64])
	v.run(func(k, lo, hi int) {
		for b := lo; b < hi; b++ {
			v.fill(v.blocks[b], x[b*Block:v.end(b)])
		}
	})
}

// fill stores a block.
func (v *Vector) fill(b block, x []float64) {
	switch b.format {
	case Dropped:
		clear(x)
	case Int16:
		to, inverse := v.shorts[b.at:][:len(x)], 1/b.unit
		for i, e := range x {
			to[i] = int16(math.RoundToEven(e * inverse))
			x[i] = float64(to[i]) * b.unit
		}
	case FP32:
		to := v.floats[b.at:][:len(x)]
		for i, e := range x {
			to[i] = float32(e)
			x[i] = float64(to[i])
		}
	case FP64:
		copy(v.doubles[b.at:], x)
	}
}

// Dim returns the dimension.
func (v *Vector) Dim() int { return v.n }

// Blocks returns the number of blocks; block b has the elements from b Block to (b+1) Block - 1, or to the end.
func (v *Vector) Blocks() int { return len(v.blocks) }

// Bytes returns the bytes of the elements and the blocks, with a byte for the format of each block and two for its
// unit.
func (v *Vector) Bytes() int64 {
	return int64(2*len(v.shorts) + 4*len(v.floats) + 8*len(v.doubles) + 3*len(v.blocks))
}

// Count returns the number of elements in a format.
func (v *Vector) Count(f Format) (n int) {
	for b := range v.blocks {
		if v.blocks[b].format == f {
			n += v.end(b) - b*Block
		}
	}
	return n
}

// DotBlocks returns the inner product of the blocks lo to hi-1 with the blocks of w.
func (v *Vector) DotBlocks(lo, hi int, w []float64) (s float64) {
	for b := lo; b < hi; b++ {
		s += v.dotBlock(v.blocks[b], w[b*Block:v.end(b)])
	}
	return s
}

func (v *Vector) dotBlock(b block, w []float64) float64 {
	switch b.format {
	case Int16:
		return b.unit * kernels.DotNarrow(v.kernels, v.shorts[b.at:][:len(w)], w)
	case FP32:
		return kernels.DotNarrow(v.kernels, v.floats[b.at:][:len(w)], w)
	case FP64:
		return v.kernels.Dot(v.doubles[b.at:][:len(w)], w)
	}
	return 0
}

// AxpyBlocks computes w += a v for the blocks lo to hi-1.
func (v *Vector) AxpyBlocks(a float64, lo, hi int, w []float64) {
	for b := lo; b < hi; b++ {
		part := w[b*Block : v.end(b)]
		switch at := v.blocks[b]; at.format {
		case Int16:
			kernels.AxpyNarrow(v.kernels, a*at.unit, v.shorts[at.at:][:len(part)], part)
		case FP32:
			kernels.AxpyNarrow(v.kernels, a, v.floats[at.at:][:len(part)], part)
		case FP64:
			v.kernels.Axpy(a, v.doubles[at.at:][:len(part)], part)
		}
	}
}

// Dot returns v·w, with the same bits for any number of threads.
func (v *Vector) Dot(w []float64) (s float64) {
	v.run(func(k, lo, hi int) { v.partial[k] = v.DotBlocks(lo, hi, w) })
	for _, p := range v.partial {
		s += p
	}
	return s
}

// Sum returns the sum of the elements, with the same bits for any number of threads.
func (v *Vector) Sum() (s float64) {
	v.run(func(k, lo, hi int) {
		v.partial[k] = 0
		for b := lo; b < hi; b++ {
			v.partial[k] += v.dotBlock(v.blocks[b], ones[:v.end(b)-b*Block])
		}
	})
	for _, p := range v.partial {
		s += p
	}
	return s
}

// ones is the vector whose inner products are sums.
var ones = func() (x [Block]float64) {
	for i := range x {
		x[i] = 1
	}
	return x
}()

// Bound returns a bound of the error of Dot(y), including the error of storage; sum is sum |x_i y_i| and norm is
// ||y||_1 over the blocks. With y = (1, ..., 1) it is a bound for Sum. It does not hold if Theta was not finite.
func (v *Vector) Bound(sum, norm float64) float64 {
	stored := v.theta * norm
	// The additions that a product passes through: in its accumulator and those of its block, over the blocks of a
	// span, and over the spans; and the roundings of the product and of the unit.
	depth := float64(Block/16 + 5 + 15 + span + len(v.partial) + 2)
	return stored + depth*0x1p-53*(sum+stored)
}

func (v *Vector) spans() int { return (len(v.blocks) + span - 1) / span }

// end returns the end of a block.
func (v *Vector) end(b int) int { return min((b+1)*Block, v.n) }

// run calls do for the blocks of each span.
func (v *Vector) run(do func(k, lo, hi int)) {
	v.pool.Each(v.spans(), func(k int) { do(k, k*span, min((k+1)*span, len(v.blocks))) })
}

// Order returns the indices of x, grouped by the format in which a rule stores the elements, the widest first, and
// otherwise in their order.
func Order(x []float64, rule Rule) []int32 {
	format := make([]Format, len(x))
	var size [formatCount]int
	for i, e := range x {
		format[i] = rule.choose(math.Abs(e))
		size[format[i]]++
	}
	var next [formatCount]int
	for f := formatCount - 1; f > 0; f-- {
		next[f-1] = next[f] + size[f]
	}
	order := make([]int32, len(x))
	for i, f := range format {
		order[next[f]] = int32(i)
		next[f]++
	}
	return order
}

// sized returns s with n elements.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Format is the format of the elements of a block; a smaller value is a narrower format.
type Format uint8

// The formatCount.
const (
	Dropped Format = iota // not stored: zeros
	Int16                 // integers of 16 bits in units of the block, a power of two
	FP32
	FP64
	formatCount
)

// Bytes returns the bytes of an element.
func (f Format) Bytes() int { return [formatCount]int{0, 2, 4, 8}[f] }

// String returns the name of the format.
func (f Format) String() string { return [formatCount]string{"dropped", "INT16", "FP32", "FP64"}[f] }

// Rule determines the format of a block.
type Rule struct {
	Theta     float64 // largest error of an element
	Narrowest Format  // narrowest format that may be chosen
}

// Uniform returns the rule that chooses one format for all blocks whose range allows it, whatever the error.
func Uniform(f Format) Rule {
	if f == FP64 {
		return Rule{Narrowest: FP64}
	}
	return Rule{math.Inf(1), f}
}

// Tolerance returns the theta with which storage causes an error of at most epsilon ||x||_1 ||y||_inf in an inner
// product of x; 0 if that is not finite.
func Tolerance(x []float64, epsilon float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Abs(v)
	}
	theta := epsilon * (sum / float64(max(len(x), 1)))
	if theta-theta != 0 {
		return 0
	}
	return theta
}

// choose returns the format of a block whose largest magnitude is most.
func (r Rule) choose(most float64) Format {
	switch {
	case most == 0 || r.Narrowest == Dropped && most <= r.Theta:
		return Dropped
	case r.Narrowest <= Int16 && leastScaled <= most && most <= math.MaxFloat64 && unit(most)/2 <= r.Theta:
		return Int16
	case r.Narrowest <= FP32 && leastFloat32 <= most && most <= math.MaxFloat32 && most*0x1p-24 <= r.Theta:
		return FP32
	}
	return FP64 // also for NaN
}

const (
	leastFloat32 = 0x1p-126  // normal, so that rounding is relative to it
	leastScaled  = 0x1p-1000 // its unit has an inverse
)

// unit returns the smallest power of two such that 16-bit multiples of it reach most, rounded to nearest.
func unit(most float64) float64 {
	f, e := math.Frexp(most)
	if f*0x1p15 >= math.MaxInt16+0.5 {
		e++
	}
	return math.Ldexp(1, e-15)
}
