package packed

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// None is the bucket of elements that are not stored.
const None = -1

// Partition assigns elements to classes, one for each format of the set, from the narrowest to the widest. Values are
// in the units of the tolerances.
type Partition struct {
	Spec
	Tol        *Tolerances
	kind       setKind
	classes    []Class
	Codecs     []formats.Codec // of the buckets
	byCodec    []int           // the class of each codec
	keep       int             // class of elements that must not be dropped: the narrowest of heads
	perQ       float64         // 2^UnitQuanta = 1 / quantum of AFX
	UnitQuanta int             // the unit of a row is 2^UnitQuanta quanta of AFX
	byBytes    [9]int          // the class of the AFX format with so many bytes
}

// Class is the set of elements that are stored in one format: a bucket, or two for an unsigned format, where the
// bucket of the negative elements comes second.
type Class struct {
	codec   formats.Codec
	bucket  int
	limit   float64 // magnitudes up to limit * theta belong to the class
	least   float64 // smallest and largest nonzero magnitude that the codec takes
	largest float64
	normal  float64 // the error is relative from this magnitude on
	below   float64 // bound of the error between least and normal
	ByTheta bool    // values are stored in units of theta (paper-exact reduced exponents)
	single  bool    // values are rounded to FP32 first (paper-exact prefixes of FP32)
	clamps  bool    // values below the range of the codec are stored as the least value
}

// NewPartition returns the partition for the elements of m, whose rows the pool processes in the ranges between panels. It
// returns an error if the spec is faulty or an element is not finite.
func NewPartition(m *csr.Matrix, s Spec, panels []int, pool *parallel.Pool) (*Partition, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.criterion() == Exact && len(s.X) != m.Cols {
		return nil, fmt.Errorf("quantize: x has %d elements, the matrix %d columns", len(s.X), m.Cols)
	}
	tol, err := NewTolerances(m, s, panels, pool)
	if err != nil {
		return nil, err
	}
	s.Criterion = s.criterion()
	return newPartition(s, tol), nil
}

// newPartition sets up the classes for a spec.
func newPartition(s Spec, tol *Tolerances) *Partition {
	s.Kernels = s.Kernels.Or()
	p := &Partition{Spec: s, Tol: tol, kind: s.Set.kind(), keep: None}
	p.UnitQuanta = s.unitQuanta()
	p.perQ = math.Ldexp(1, p.UnitQuanta)
	for k := len(s.Set.Formats) - 1; k >= 0; k-- {
		f := s.Set.Formats[k]
		head := f.Kind == formats.Head32 || f.Kind == formats.Head64
		c := Class{
			codec: formats.Codec{Format: f, Exponent: p.exponent(f)}, bucket: len(p.Codecs), limit: p.limit(f),
			ByTheta: s.PaperExact && f.Kind == formats.Relative && !s.Set.Uniform,
			// The error is within theta, but for a uniform format it must be negligible, as for the heads, whose
			// range is wide.
			clamps: !s.Set.Uniform || head,
		}
		if s.PaperExact && f.Name != "FP32" && f.Kind != formats.Minifloat { // casts to FP32 round
			c.codec.Truncates = true
			c.single = f.Kind == formats.Head32
		}
		if c.least, c.largest = c.codec.Range(); c.single {
			c.largest = min(c.largest, math.MaxFloat32) // what is more rounds to infinity
		}
		if c.normal = c.codec.LeastNormal(); f.Kind == formats.Minifloat {
			c.below = c.codec.ErrorBound(0)
			c.least = 2 * c.below
		}
		if p.keep == None && head {
			p.keep = len(p.classes)
		}
		if f.Kind == formats.Fixed {
			p.byBytes[f.Bytes] = len(p.classes)
		}
		p.classes, p.Codecs = append(p.classes, c), append(p.Codecs, c.codec)
		p.byCodec = append(p.byCodec, len(p.classes)-1)
		if !f.Signed {
			c.codec.Negative = true
			p.Codecs, p.byCodec = append(p.Codecs, c.codec), append(p.byCodec, len(p.classes)-1)
		}
	}
	return p
}

// Class returns the class of a bucket.
func (p *Partition) Class(bucket int) *Class { return &p.classes[p.byCodec[bucket]] }

// StoredByTheta reports whether values are stored in units of theta.
func (p *Partition) StoredByTheta() bool {
	return slices.ContainsFunc(p.classes, func(c Class) bool { return c.ByTheta })
}

// exponent returns the scale of a format's codec.
func (p *Partition) exponent(f formats.Format) int {
	c := p.unitBits()
	switch {
	case p.Set.Uniform: // values below 2
		return f.Unit().Exponent
	case f.Kind == formats.Minifloat && (p.PaperExact || p.Criterion == Exact): // the format's own range
		return 0
	case f.Kind == formats.Minifloat: // values below 2 theta / u
		return f.Significand + 1 - c - f.MaxExponent()
	case f.Kind == formats.Relative && p.PaperExact: // 2^8 below theta / u, in units of theta
		return f.Significand - 8
	case f.Kind == formats.Relative: // 2^8 below 2 theta / u
		return f.Significand + 1 - 8 - c
	case f.Kind == formats.Fixed: // the quantum is 2 theta, less by the guard bits
		return 1 - c - p.GuardBits
	}
	return 0
}

// limit returns the magnitude, as a multiple of theta, up to which a format keeps the error within theta. Rounded to
// nearest, a value in [2^e, 2^(e+1)) has an error of at most u 2^e, so all values below 2 theta / u belong to a
// format. The papers' rule, theta / u, gives up that binade, and so must the exact criterion, where x moves the ends
// of binades.
func (p *Partition) limit(f formats.Format) float64 {
	switch {
	case p.Set.Uniform || f.Name == "FP64":
		return math.Inf(1)
	case p.PaperExact || p.Criterion == Exact:
		return math.Ldexp(1, f.Significand)
	}
	return math.Ldexp(1, f.Significand+1)
}

// Assign sets bucket to the buckets of the elements of row i, None for elements that are not stored: zeros, and
// dropped ones. It keeps the diagonal and the largest element, except in paper-exact mode: the papers drop everything
// that is at most epsilon T.
func (p *Partition) Assign(bucket []int8, i int, cols []int32, vals []float64) {
	exp, theta := p.Tol.Row(i)
	wide := p.Tol.wide(i, i+1)
	largest := 0
	for k, v := range vals {
		if math.Abs(v) > math.Abs(vals[largest]) {
			largest = k
		}
	}
	for k, v := range vals {
		bucket[k] = None
		if v == 0 {
			continue
		}
		b, j := dd.Ldexp(v, -exp), int(cols[k])
		at := p.keep
		if !wide {
			at = p.classOf(b, theta, j)
		}
		if at == None {
			switch {
			case !p.PaperExact && (k == largest || j == p.Diagonal+i):
				at = p.keep
			case p.NoDrop:
				at = p.narrowest(b, theta, j)
			default:
				continue
			}
		}
		c := &p.classes[at]
		bucket[k] = int8(c.bucket)
		if !c.codec.Signed && c.Value(b, theta) < 0 {
			bucket[k]++
		}
	}
}

// Value returns the value that the codec gets for an element b.
func (c *Class) Value(b, theta float64) float64 {
	if c.ByTheta {
		b /= theta
	}
	if c.single {
		b = float64(float32(b))
	}
	if c.clamps && math.Abs(b) < c.least {
		b = math.Copysign(c.least, b)
	}
	return b
}

// classOf returns the narrowest class that keeps the error within theta, or None for a value that may be dropped.
func (p *Partition) classOf(b, theta float64, j int) int {
	switch {
	case p.Set.Uniform:
		return 0
	case p.kind == fixedPoint:
		return p.fixed(b)
	}
	if size := p.size(b, j); size < theta || size == theta && p.closed() {
		return None
	}
	return p.narrowest(b, theta, j)
}

// size returns the magnitude of b that is compared with theta.
func (p *Partition) size(b float64, j int) float64 {
	if p.Criterion == Exact {
		b *= p.X[j]
	}
	return math.Abs(b)
}

// closed reports whether intervals are closed on the right. The papers' intervals are open on the left and closed on
// the right for formats with a full exponent, and the other way round for reduced ones.
func (p *Partition) closed() bool { return p.PaperExact && p.kind == heads }

// narrowest returns the first class whose significand and range keep the error of b within theta.
func (p *Partition) narrowest(b, theta float64, j int) int {
	size, own := p.size(b, j), theta
	if p.Criterion == Exact {
		own /= math.Abs(p.X[j]) // the error allowed for b itself
	}
	for k := range p.classes {
		c := &p.classes[k]
		limit := c.limit * theta
		if (size < limit || size == limit && p.closed() && c.codec.Kind != formats.Relative) && c.holds(math.Abs(b), theta, own) {
			return k
		}
	}
	return len(p.classes) - 1
}

// holds reports whether the codec has the range for a magnitude a with the allowed error own.
func (c *Class) holds(a, theta, own float64) bool {
	if c.ByTheta {
		return c.least*theta-a <= own
	}
	return a <= c.largest && (a >= c.normal || max(c.below, c.least-a) <= own)
}

// fixed returns the narrowest AFX format for b: by the bytes of m = round(b / q) as a two's complement integer.
func (p *Partition) fixed(b float64) int {
	m := int64(math.RoundToEven(b * p.perQ))
	if m == 0 {
		return None
	}
	magnitude := uint64(m ^ m>>63) // -2^k takes no more bits than 2^k - 1
	return p.byBytes[(bits.Len64(magnitude)+8)/8]
}

// dropWord stands in a list of formats for dropping what is below epsilon T.
const dropWord = "drop"

// compose returns the set of a list such as FP64,FP32,FP16,drop, in any order; + replaces the commas where commas
// separate several lists. The list is the name of the set. Without dropWord no element is dropped.
//
// It returns an error if the list lacks FP64, which takes the elements that need it, if two formats have the same
// significand, or if the list contains AFX, which is a set by itself.
func compose(list string) (Set, error) {
	s := Set{Keeps: true}
	for _, name := range strings.Split(strings.ReplaceAll(list, "+", ","), ",") {
		name = strings.TrimSpace(name)
		if strings.EqualFold(name, dropWord) {
			s.Keeps = false
			continue
		}
		f, err := formats.Lookup(name)
		switch {
		case err != nil:
			return Set{}, err
		case f.Kind == formats.Fixed:
			return Set{}, fmt.Errorf("%s is part of the set AFX, not of a list", f.Name)
		}
		s.Formats = append(s.Formats, f)
	}
	slices.SortStableFunc(s.Formats, func(a, b formats.Format) int { return cmp.Compare(b.Significand, a.Significand) })
	if len(s.Formats) == 0 || s.Formats[0].Name != "FP64" {
		return Set{}, fmt.Errorf("%s: want FP64 among the formats, for what needs it", list)
	}
	for k, f := range s.Formats[1:] {
		if before := s.Formats[k]; before.Significand == f.Significand {
			return Set{}, fmt.Errorf("%s: %s and %s have the same significand", list, before.Name, f.Name)
		}
	}
	for _, f := range s.Formats {
		s.Name += f.Name + ","
	}
	if s.Name = strings.TrimSuffix(s.Name, ","); !s.Keeps {
		s.Name += "," + dropWord
	}
	return s, nil
}
