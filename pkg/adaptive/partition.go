package adaptive

import (
	"math"
	"math/bits"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
)

// none is the place of elements that are not stored.
const none = -1

// partition assigns elements to places, one for each format of the set, from
// the narrowest to the widest. Values are in the units of tolerances.
type partition struct {
	spec   Spec
	tol    *tolerances
	kind   setKind
	places []place
	keep   int     // place of elements that must not be dropped: the narrowest head
	perQ   float64 // 2^perQExp = 1 / quantum of AFX

	perQExp int

	byBytes [9]int // the place of an AFX format of so many bytes
}

// place is a format of the partition.
type place struct {
	codec   formats.Codec
	bucket  int     // of its positive elements; negative ones of unsigned formats are in the next
	limit   float64 // magnitudes up to limit * theta belong here
	least   float64 // smallest and largest magnitude that the codec takes
	largest float64
	byTheta bool // values are stored in units of theta (paper-exact reduced exponents)
}

// newPartition lays out the places for a spec.
func newPartition(s Spec, tol *tolerances) *partition {
	p := &partition{spec: s, tol: tol, kind: s.Set.kind(), keep: none}
	p.perQExp = s.unitBits() - 1 + s.GuardBits
	p.perQ = math.Ldexp(1, p.perQExp)
	bucket := 0
	for k := len(s.Set.Formats) - 1; k >= 0; k-- {
		f := s.Set.Formats[k]
		q := place{
			codec: formats.Codec{Format: f, Exponent: p.exponent(f)}, bucket: bucket, limit: p.limit(f),
			byTheta: s.PaperExact && f.Kind == formats.Relative && !s.Set.Uniform,
		}
		if s.PaperExact {
			q.codec.Rounding = formats.Truncate
		}
		q.least, q.largest = q.codec.Range()
		if bucket++; !f.Signed {
			bucket++
		}
		if p.keep == none && (f.Kind == formats.Head32 || f.Kind == formats.Head64) {
			p.keep = len(p.places)
		}
		if f.Kind == formats.Fixed {
			p.byBytes[f.Bytes] = len(p.places)
		}
		p.places = append(p.places, q)
	}
	return p
}

// exponent is the scale of a format's codec.
func (p *partition) exponent(f formats.Format) int {
	c, uniform := p.spec.unitBits(), p.spec.Set.Uniform
	switch {
	case f.Kind == formats.Relative && uniform: // 2^8 below 2
		return 1 - 8
	case f.Kind == formats.Relative && p.spec.PaperExact: // 2^8 below theta / u, in units of theta
		return f.Significand - 8
	case f.Kind == formats.Relative: // 2^8 below 2 theta / u
		return f.Significand + 1 - 8 - c
	case f.Kind == formats.Fixed && uniform: // values below 2 leave one bit unused
		return 3 - 8*f.Bytes
	case f.Kind == formats.Fixed: // the quantum is 2 theta, less by the guard bits
		return 1 - c - p.spec.GuardBits
	}
	return 0
}

// limit is the magnitude, as a multiple of theta, up to which a format keeps
// the error within theta. Rounded to nearest, a value in [2^e, 2^(e+1)) carries
// at most u 2^e, so all below 2 theta / u belong to a format; the papers' rule,
// theta / u, gives that binade away.
func (p *partition) limit(f formats.Format) float64 {
	switch {
	case p.spec.Set.Uniform || f.Name == "FP64":
		return math.Inf(1)
	case p.spec.PaperExact:
		return math.Ldexp(1, f.Significand)
	}
	return math.Ldexp(1, f.Significand+1)
}

// codecs returns the codec of each bucket.
func (p *partition) codecs() []formats.Codec {
	var list []formats.Codec
	for _, q := range p.places {
		list = append(list, q.codec)
		if !q.codec.Signed {
			c := q.codec
			c.Negative = true
			list = append(list, c)
		}
	}
	return list
}

// element places a = a_ij and returns its bucket and the value to encode there;
// the bucket is none if it is dropped, which an element that must be kept never
// is.
func (p *partition) element(a float64, i, j int, must bool) (b float64, bucket int) {
	if a == 0 {
		return 0, none
	}
	exp, theta := p.tol.row(i)
	b = csr.Ldexp(a, -exp)
	k := p.place(b, theta, j)
	if k == none {
		switch {
		case must:
			k = p.keep
		case p.spec.NoDrop:
			k = 0
		default:
			return 0, none
		}
	}
	q := &p.places[k]
	if q.byTheta {
		b /= theta
	}
	if math.Abs(b) < q.least && q.clamps(p.spec.Set.Uniform) {
		b = math.Copysign(q.least, b)
	}
	if b < 0 && !q.codec.Signed {
		return b, q.bucket + 1
	}
	return b, q.bucket
}

// clamps tells whether a value below the range of the codec is stored as the
// smallest one that it has. This is within theta, but for a uniform format it
// must be negligible, as it is for the heads, whose range is wide.
func (q *place) clamps(uniform bool) bool {
	return !uniform || q.codec.Kind == formats.Head32 || q.codec.Kind == formats.Head64
}

// place is the narrowest place that keeps the error within theta, or none for a
// value that may be dropped.
func (p *partition) place(b, theta float64, j int) int {
	size := math.Abs(b)
	switch {
	case p.spec.Set.Uniform:
		return 0
	case p.kind == fixedPoint:
		return p.fixed(b)
	case p.spec.Criterion == Exact:
		size *= math.Abs(p.spec.X[j])
	}
	// The papers' intervals are open on the left and closed on the right for
	// formats with a full exponent, the other way round for reduced ones.
	closed := p.spec.PaperExact && p.kind == heads
	if size < theta || closed && size == theta {
		return none
	}
	for k := range p.places {
		q := &p.places[k]
		limit := q.limit * theta
		if (size < limit || closed && size == limit) && (q.byTheta || size <= q.largest) {
			return k
		}
	}
	return len(p.places) - 1
}

// fixed is the narrowest AFX format for b: the bytes of m = round(b / q) as a
// two's complement integer.
func (p *partition) fixed(b float64) int {
	m := int64(math.RoundToEven(b * p.perQ))
	if m == 0 {
		return none
	}
	magnitude := uint64(m ^ m>>63) // -2^k takes no more than 2^k - 1
	return p.byBytes[(bits.Len64(magnitude)+8)/8]
}
