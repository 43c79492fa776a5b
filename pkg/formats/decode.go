package formats

import (
	"math"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// Padding is the number of bytes that must follow the last encoded value.
const Padding = kernels.DecodePadding

// Decode sets dst to the first len(dst) values of src, which must be Padding
// bytes longer than these.
func (c Codec) Decode(dst []float64, src []byte) {
	switch c.Kind {
	case Head64:
		kernels.DecodeBits(dst, src, c.Bytes, kernels.FloatBits{})
	case Head32:
		kernels.DecodeFloat32(dst, src, c.Bytes)
	case Relative:
		kernels.DecodeBits(dst, src, c.Bytes, c.floatBits())
	default:
		kernels.DecodeFixed(dst, src, c.Bytes, math.Ldexp(1, c.Exponent))
	}
}

// floatBits moves the three bits of the exponent to their place and adds the
// exponent of the bucket; the sign is that of the value or of the bucket.
func (c Codec) floatBits() kernels.FloatBits {
	f := kernels.FloatBits{Down: 64 - 3 - fractionBits, Offset: uint64(c.Exponent+bias) << fractionBits}
	switch {
	case c.Signed:
		f.Up, f.Sign = 1, 1<<63
	case c.Negative:
		f.Offset |= 1 << 63
	}
	return f
}
