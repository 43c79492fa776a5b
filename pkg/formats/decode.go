package formats

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

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
