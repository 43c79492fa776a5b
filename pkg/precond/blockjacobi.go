package precond

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// blockJacobi is z = B r, B the inverses of the blocks on the diagonal of A. The
// blocks come from the pattern (see blockBounds). Each inverse is stored in as few
// bytes as its condition number allows [Anzt19]: in fixed point of k bytes with a power
// of two for each block, with the least k for which
//
//	2^(-8k) <= epsilon  and  kappa_1(block) 2^(1-8k) <= blockError,
//
// or in FP64 if there is none or epsilon is MinEpsilon. A singular block is replaced by
// its diagonal. If A is symmetric, so is a block that is not positive definite,
// and the inverses stay exactly symmetric and positive definite, if necessary in
// a wider format.
//
// An application reads the stored numbers, 2 bytes each at best, and one vector
// and writes one.
type blockJacobi struct {
	kernels *kernels.Set
	first   []int32 // of the rows of each block; last, n
	bytes   []uint8 // of a number of each block
	exp     []int16 // its quantum is 2^exp; 0 for FP64
	panel   []int   // panel k is the blocks panel[k] to panel[k+1]-1
	values  [][]byte
	cost    Cost
	pool    *parallel.Pool

	dst, src []vector    // of the application that is running
	single   [2][]vector // dst and src of Apply
}

const (
	defaultBlockSize = 16
	maxBlockSize     = 32
	blockError       = 1e-2 // of an inverse, relative to its norm

	blockPanel = 4096 // rows of a panel, about
	blockWords = maxBlockSize * maxBlockSize
)

// blockFormat is the format of inverses of that many bytes a number: fixed point, or FP64.
func blockFormat(bytes int) formats.Format {
	if bytes == 8 {
		return formats.Format{Name: "FP64", Kind: formats.Head64, Bytes: 8, Signed: true, ExponentBits: 11, Significand: 53}
	}
	return formats.Format{Kind: formats.Fixed, Bytes: bytes, Signed: true}
}

// blockNumbers decodes the numbers of inverses of that many bytes each, in quanta.
func blockNumbers(bytes uint8) kernels.Words {
	return formats.Codec{Format: blockFormat(int(bytes))}.Words()
}

func newBlockJacobi(s setup) (Preconditioner, error) {
	m, pool := s.m, s.pool
	size := s.BlockSize
	if size <= 0 {
		size = defaultBlockSize
	}
	if size > maxBlockSize {
		return nil, fmt.Errorf("block size %d is more than %d", size, maxBlockSize)
	}
	p := &blockJacobi{kernels: s.kernels, first: blockBounds(m, size), pool: pool, panel: []int{0}}
	each := int64(2) // bytes of a number, at least
	if s.Epsilon <= adaptive.MinEpsilon {
		each = 8
	}
	blocks, least := len(p.first)-1, int64(0)
	for b := range blocks {
		rows := int64(p.first[b+1] - p.first[b])
		least += each * rows * rows
		if start := p.first[p.panel[len(p.panel)-1]]; p.first[b+1]-start >= blockPanel || b == blocks-1 {
			p.panel = append(p.panel, b+1)
		}
	}
	if err := s.checkMemory(least); err != nil {
		return nil, err
	}
	diagonal, _ := s.jacobiDiagonal()
	p.bytes, p.exp = make([]uint8, blocks), make([]int16, blocks)
	panels := len(p.panel) - 1
	p.values = make([][]byte, panels)
	replaced := make([]int, panels)
	pool.RunRanges(p.panel, func(k, lo, hi int) {
		panel := blockSetup{p: p, m: m, opt: s.Options, diagonal: diagonal}
		for b := lo; b < hi; b++ {
			panel.add(b)
		}
		p.values[k] = append(slices.Clip(panel.values), make([]byte, formats.Padding)...)
		replaced[k] = panel.replaced
	})
	singular := 0
	for k := range panels {
		singular += replaced[k]
		p.cost.ValueBytes += int64(len(p.values[k]) - formats.Padding)
	}
	if singular > 0 {
		what := "singular"
		if s.Symmetric {
			what = "not positive definite"
		}
		s.logf("%s: blocks that are %s replaced by their diagonal: %d of %d", BlockJacobi, what, singular, blocks)
	}
	for b := range blocks {
		rows := int64(p.first[b+1] - p.first[b])
		p.cost.Values += rows * rows
	}
	structure := int64(4*len(p.first) + 3*blocks)
	p.cost.Bytes = p.cost.ValueBytes + structure
	p.cost.FP64Bytes = 8*p.cost.Values + structure
	return p, nil
}

// blockBounds returns the first row of each block and, last, the number of rows.
// Consecutive rows with the same columns make a supervariable [Anzt19], mostly
// the unknowns of one node, and consecutive supervariables are joined up to size rows. A
// larger one is split.
func blockBounds(m *csr.Matrix, size int) []int32 {
	bounds := []int32{0}
	start := 0 // of the block
	for lo := 0; lo < m.Rows; {
		cols, _ := m.Row(lo)
		hi := lo + 1
		for ; hi < m.Rows && hi-lo < size; hi++ {
			if other, _ := m.Row(hi); !slices.Equal(cols, other) {
				break
			}
		}
		if hi-start > size {
			bounds, start = append(bounds, int32(lo)), lo
		}
		lo = hi
	}
	if m.Rows > 0 {
		bounds = append(bounds, int32(m.Rows))
	}
	return bounds
}

// blockSetup inverts the blocks of one panel.
type blockSetup struct {
	p        *blockJacobi
	m        *csr.Matrix
	opt      Options
	diagonal vector // its inverse
	values   []byte
	replaced int

	a, b  [blockWords]float64
	order [maxBlockSize]int
}

// add appends the inverse of a block.
func (s *blockSetup) add(block int) {
	lo, n := int(s.p.first[block]), int(s.p.first[block+1]-s.p.first[block])
	a, b := s.a[:n*n], s.b[:n*n]
	clear(a)
	for i := range n {
		cols, vals := s.m.Row(lo + i)
		k, _ := slices.BinarySearch(cols, int32(lo))
		for ; k < len(cols) && int(cols[k]) < lo+n; k++ {
			a[i*n+int(cols[k])-lo] = vals[k]
		}
	}
	norm := norm1(a, n)
	copy(b, a)
	ok := !s.opt.Symmetric || denseCholesky(b, n)
	ok = ok && invert(a, n, s.order[:])
	if ok && s.opt.Symmetric {
		symmetrise(a, n)
		copy(b, a)
		ok = denseCholesky(b, n)
	}
	if !ok {
		clear(a)
		for i := range n {
			a[i*n+i] = s.diagonal[lo+i]
		}
		s.replaced++
		norm = 0 // scaling the rows of a diagonal costs no accuracy
	}
	s.store(block, a, n, norm*norm1(a, n))
}

// symmetrise replaces a by (a + a^T)/2.
func symmetrise(a []float64, n int) {
	for i := range n {
		for j := range i {
			v := a[i*n+j]/2 + a[j*n+i]/2
			a[i*n+j], a[j*n+i] = v, v
		}
	}
}

// store appends a, the inverse of a block with that condition number.
func (s *blockSetup) store(block int, a []float64, n int, kappa float64) {
	at := len(s.values)
	for bytes := 2; bytes <= 8; bytes++ {
		u := math.Ldexp(1, -8*bytes)
		if bytes < 8 && (s.opt.Epsilon <= adaptive.MinEpsilon || u > s.opt.Epsilon || !(2*u*kappa <= blockError)) {
			continue
		}
		c := formats.Codec{Format: blockFormat(bytes)}
		if bytes < 8 {
			c.Exponent = largestExponent(a) - (8*bytes - 1)
		}
		size := len(a) * bytes
		s.values = append(s.values[:at], make([]byte, size+formats.Padding)...)
		if err := c.Encode(s.values[at:], a); err != nil { // out of range, which FP64 is not
			continue
		}
		s.p.bytes[block], s.p.exp[block] = uint8(bytes), int16(c.Exponent)
		if bytes < 8 && !s.kept(c, s.values[at:], a, n) {
			continue
		}
		s.values = s.values[:at+size]
		return
	}
}

// kept reports whether rounding preserved a: positive definite if A is symmetric, and no
// diagonal entry rounded to zero.
func (s *blockSetup) kept(c formats.Codec, src []byte, a []float64, n int) bool {
	b := s.b[:n*n]
	c.Decode(b, src[:len(b)*c.Bytes+formats.Padding])
	for k := 0; k < len(b); k += n + 1 {
		if b[k] == 0 && a[k] != 0 {
			return false
		}
	}
	return !s.opt.Symmetric || denseCholesky(b, n)
}

// largestExponent is the least e with all |a_k| < 2^e.
func largestExponent(a []float64) int {
	most := 0.0
	for _, v := range a {
		most = max(most, math.Abs(v))
	}
	return dd.Exponent(most)
}

// Apply computes dst = B src.
func (p *blockJacobi) Apply(dst, src vector) {
	p.single = [2][]vector{append(p.single[0][:0], dst), append(p.single[1][:0], src)}
	p.ApplyMany(p.single[0], p.single[1])
}

// ApplyMany implements krylov.SeveralPreconditioner: inverses are decoded once.
func (p *blockJacobi) ApplyMany(dst, src []vector) {
	p.dst, p.src = dst, src
	p.pool.Run(len(p.values), p)
	p.dst, p.src = nil, nil
}

// Do multiplies by the blocks of one panel, decoding as many at a time as fit.
func (p *blockJacobi) Do(panel int) {
	var decoded [blockWords]float64
	values := p.values[panel]
	for b, end := p.panel[panel], p.panel[panel+1]; b < end; {
		n, last, width := 0, b, p.bytes[b]
		for ; last < end && p.bytes[last] == width; last++ {
			rows := int(p.first[last+1] - p.first[last])
			if n+rows*rows > len(decoded) {
				break
			}
			n += rows * rows
		}
		p.kernels.Decode(blockNumbers(width), decoded[:n], values)
		values = values[n*int(width):]
		rest := decoded[:n]
		for ; b < last; b++ {
			lo, hi := p.first[b], p.first[b+1]
			inverse, quantum := rest, math.Float64frombits(uint64(1023+int(p.exp[b]))<<52)
			for v, dst := range p.dst {
				rest = multiplyBlock(dst[lo:hi], inverse, p.src[v][lo:hi], quantum)
			}
		}
	}
}

// multiplyBlock computes dst = quantum A src, A dense, row after row, and
// returns what follows it. Four rows at a time give four independent sums.
func multiplyBlock(dst, a, src []float64, quantum float64) (rest []float64) {
	rest = a
	n := len(src)
	if n == 3 { // nodes of elastic bodies
		s, a, r := src[:3:3], a[:9:9], dst[:3]
		r[0] = quantum * (float64(a[0]*s[0]) + float64(a[1]*s[1]) + float64(a[2]*s[2]))
		r[1] = quantum * (float64(a[3]*s[0]) + float64(a[4]*s[1]) + float64(a[5]*s[2]))
		r[2] = quantum * (float64(a[6]*s[0]) + float64(a[7]*s[1]) + float64(a[8]*s[2]))
		return rest[9:]
	}
	for len(dst) >= 4 {
		r0, r1, r2, r3 := a[:n], a[n:2*n], a[2*n:3*n], a[3*n:4*n]
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		var s0, s1, s2, s3 float64
		for k, v := range src[:len(r0)] {
			s0 += float64(r0[k] * v)
			s1 += float64(r1[k] * v)
			s2 += float64(r2[k] * v)
			s3 += float64(r3[k] * v)
		}
		dst[0], dst[1], dst[2], dst[3] = quantum*s0, quantum*s1, quantum*s2, quantum*s3
		dst, a = dst[4:], a[4*n:]
	}
	for i := range dst {
		s := 0.0
		for k, v := range a[:n] {
			s += float64(v * src[k])
		}
		dst[i], a = quantum*s, a[n:]
	}
	return a
}

func (p *blockJacobi) Cost() Cost { return p.cost }

func (p *blockJacobi) String() string {
	blocks := len(p.bytes)
	return fmt.Sprintf("%s, %d blocks of %.1f rows", BlockJacobi, blocks, float64(p.first[blocks])/float64(max(blocks, 1)))
}
