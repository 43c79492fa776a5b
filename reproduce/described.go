package reproduce

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mpsolve/mpsolve/pkg/formats"
)

// matrices is the kind of measurement that describes a matrix.
func matrices() kind {
	return kind{
		name: "matrix", text: "size of a matrix, and the range of its magnitudes", matrix: true,
		values: []string{"rows", "nnz", "decades"},
		cost:   func(_ point, nnz float64) float64 { return 1e-9 * nnz },
		measure: func(_ context.Context, in input, points []point) error {
			m := in.matrix
			least, most := math.Inf(1), 0.0
			for _, v := range m.Val {
				if v != 0 {
					least, most = min(least, math.Abs(v)), max(most, math.Abs(v))
				}
			}
			values := map[string]float64{
				"rows": float64(m.Rows), "nnz": float64(m.NNZ()), "decades": math.Log10(most) - math.Log10(least),
			}
			return in.emit(points[0], result{values: values})
		},
	}
}

// numberFormat is the kind of measurement that describes a storage format: its bits, and the largest error of
// truncation to it.
func numberFormat() kind {
	return kind{
		name: "format", text: "bits of a format, and the largest error of rounding to nearest",
		labels: []label{{"format", "FP64", domain{"a format of docs/precision-formats.md", func(w string) error {
			_, err := formats.Lookup(w)
			return err
		}}}},
		values: []string{"bytes_per_value", "sign_bits", "exponent_bits", "significand_bits", "unit_roundoff", "measured_roundoff"},
		cost:   func(point, float64) float64 { return 0.1 },
		measure: func(_ context.Context, in input, points []point) error {
			f, err := formats.Lookup(points[0]["format"])
			if err != nil {
				return err
			}
			values, err := describe(f)
			if err != nil {
				return err
			}
			return in.emit(points[0], result{values: values})
		},
	}
}

// describe returns the bits of a format and the largest relative error of rounding to nearest, among random
// magnitudes in its range.
func describe(f formats.Format) (map[string]float64, error) {
	c := formats.Codec{Format: f}
	random := rand.New(rand.NewPCG(1, 2))
	const count = 1 << 17
	v, decoded, codes := make([]float64, count), make([]float64, count), make([]byte, count*f.Bytes+formats.Padding)
	for i := range v {
		v[i] = math.Ldexp(1+random.Float64()/2, random.IntN(8)) // the range of a bucket
	}
	if err := c.Encode(codes, v); err != nil {
		return nil, err
	}
	c.Decode(decoded, codes)
	worst := 0.0
	for i := range v {
		worst = max(worst, math.Abs(decoded[i]-v[i])/v[i])
	}
	sign := 0.0
	if f.Signed {
		sign = 1
	}
	return map[string]float64{
		"bytes_per_value": float64(f.Bytes), "sign_bits": sign, "exponent_bits": float64(f.ExponentBits),
		"significand_bits": float64(f.Significand), "unit_roundoff": f.UnitRoundoff(), "measured_roundoff": worst,
	}, nil
}
