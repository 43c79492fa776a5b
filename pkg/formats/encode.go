package formats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// ErrRange is wrapped by errors about values that a codec cannot encode.
var ErrRange = errors.New("out of range")

// rangeError is an ErrRange that names the value.
type rangeError struct {
	format string
	index  int
	value  float64
}

func (e *rangeError) Error() string {
	return fmt.Sprintf("value %g is out of the range of %s", e.value, e.format)
}

func (e *rangeError) Unwrap() error { return ErrRange }

// Encode stores src in the first len(src)*Bytes bytes of dst and leaves what
// follows alone; it is an error if dst is shorter. It returns an ErrRange for
// the first value that the codec does not take (see Range); an unsigned format
// does not take the other sign.
func (c Codec) Encode(dst []byte, src []float64) error {
	size := len(src) * c.Bytes
	if len(dst) < size {
		return fmt.Errorf("%d values of %s take %d bytes, not %d", len(src), c.Name, size, len(dst))
	}
	dst = dst[:size]
	fault := -1
	switch {
	case !c.scaleInRange():
		fault = 0
	case c.Kind == Fixed:
		fault = c.encodeFixed(dst, src)
	default:
		fault = c.encodeFloat(dst, src)
	}
	if fault >= 0 && fault < len(src) {
		return &rangeError{c.Name, fault, src[fault]}
	}
	return nil
}

// encodeFloat returns the index of the first value out of range, or -1.
func (c Codec) encodeFloat(dst []byte, src []float64) int {
	l := c.layout()
	least, largest := c.Range()
	if c.Kind == Minifloat {
		least = l.value(0)
	}
	half := uint64(0)
	if !c.Truncates && l.drop > 0 {
		half = 1<<(l.drop-1) - 1
	}
	shift := l.offset >> l.drop
	hasZero := c.Kind != Relative
	for i, v := range src {
		bits := math.Float64bits(v)
		negative, magnitude := bits>>63, bits&^(1<<63)
		a := math.Float64frombits(magnitude)
		var code uint64
		switch {
		case a >= least && a <= largest:
			code = magnitude >> l.drop
			if half > 0 || l.drop == 1 && !c.Truncates {
				code = (magnitude + half + code&1) >> l.drop
			}
			code = min(code-shift, l.maxCode)
		case c.Kind == Minifloat && a < least:
			code = c.subnormal(a * l.perUnit)
		case a != 0 || !hasZero:
			return i
		}
		if c.Signed {
			code |= negative << l.sign
		} else if negative == 1 != c.Negative {
			return i
		}
		put(dst, i, c.Bytes, code)
	}
	return -1
}

// subnormal rounds a to the code of a subnormal number; what rounds up to the least normal one
// is that one's code.
func (c Codec) subnormal(a float64) uint64 {
	if !c.Truncates {
		a = math.RoundToEven(a)
	}
	return uint64(a)
}

// encodeFixed returns the index of the first value out of range, or -1.
func (c Codec) encodeFixed(dst []byte, src []float64) int {
	perQuantum := math.Ldexp(1, -c.Exponent)
	last := math.Ldexp(1, 8*c.Bytes-1) - 1
	_, largest := c.Range()
	least := -math.Ldexp(c.mostNegative(), c.Exponent)
	for i, v := range src {
		if !(v >= least && v <= largest) {
			return i
		}
		m := v * perQuantum // exact, unless it rounds to zero anyway
		if !c.Truncates {
			m = math.RoundToEven(m)
		}
		put(dst, i, c.Bytes, uint64(int64(min(m, last))))
	}
	return -1
}

// put stores the low bytes of word as the i-th value.
func put(dst []byte, i, bytes int, word uint64) {
	at := dst[i*bytes:]
	if len(at) >= 8 {
		binary.LittleEndian.PutUint64(at, word) // the next values overwrite what is too much
		return
	}
	for k := range bytes {
		at[k] = byte(word >> (8 * k))
	}
}

// Padding is the number of bytes that must follow the last encoded value.
const Padding = kernels.WordPadding

// Decode sets dst to the first len(dst) values of src, which must be Padding
// bytes longer than these.
func (c Codec) Decode(dst []float64, src []byte) { kernels.Default().Decode(c.Words(), dst, src) }

// Words describes how encoded values are decoded, for kernels that multiply with them.
func (c Codec) Words() kernels.Words {
	w := kernels.Words{Bytes: c.Bytes}
	switch c.Kind {
	case Head32:
		w.Kind = kernels.Float32
	case Relative: // the three bits of the exponent to their place, plus the bucket's
		w.Down = 64 - 3 - fractionBits
		w.Offset = uint64(c.Exponent+bias) << fractionBits
		if c.Signed {
			w.Up, w.Sign = 1, 1<<63
		} else if c.Negative {
			w.Offset |= 1 << 63
		}
	case Minifloat: // as a float64 that is too small by a power of two, subnormals included
		w.Kind = kernels.Scaled
		w.Up, w.Down, w.Sign = 1, uint(64-fractionBits-c.ExponentBits), 1<<63
		w.Quantum = math.Ldexp(1, bias-c.bias()+c.Exponent)
	case Fixed:
		w.Kind = kernels.Fixed
		w.Down = uint(64 - 8*c.Bytes)
		w.Quantum = math.Ldexp(1, c.Exponent)
	}
	return w
}
