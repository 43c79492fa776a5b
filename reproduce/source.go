package reproduce

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// source is the source of a matrix.
type source struct {
	name      string
	text      string // name of the file, or generator and parameters
	surrogate bool
	nnz       int64 // about
	load      func(ctx context.Context, maxMemory int64) (*csr.Matrix, error)
}

// cost returns about how many seconds it takes to read or make the matrix.
func (s source) cost() float64 { return 1e-7 * float64(s.nnz) }

// source finds a matrix in the folder, or makes a surrogate with about so many nonzeros. It returns false if neither
// exists.
func (o Options) source(name string, nnz int64) (source, bool, error) {
	if o.Matrices != "" {
		if found, ok := matrixio.Find(o.Matrices, name); ok {
			return fromFile(name, found), true, nil
		}
	}
	paper, _ := matrixio.FindPaper(name)
	s := paper.Surrogate
	if s == nil {
		return source{}, false, nil
	}
	params, err := sized(s, nnz)
	if err != nil {
		return source{}, false, fmt.Errorf("%s: %w", name, err)
	}
	k, _ := generate.Find(s.Generator) // sized has checked the name
	rows, nonzeros, err := k.Estimate(params)
	if err != nil {
		return source{}, false, fmt.Errorf("%s: %w", name, err)
	}
	return source{
		name: name, surrogate: true, text: s.Generator + "," + params.String(), nnz: nonzeros,
		load: func(_ context.Context, maxMemory int64) (*csr.Matrix, error) {
			if bytes := csr.Bytes(rows, nonzeros); maxMemory > 0 && bytes > maxMemory {
				return nil, fmt.Errorf("its surrogate takes %d bytes, more than the memory limit", bytes)
			}
			return generate.Generate(s.Generator, params)
		},
	}, true, nil
}

func fromFile(name string, found matrixio.Source) source {
	paper, _ := matrixio.FindPaper(name)
	s := source{name: name, text: filepath.Base(found.Path), nnz: paper.NNZ}
	s.load = func(ctx context.Context, maxMemory int64) (*csr.Matrix, error) {
		m, _, err := found.Read(ctx, matrixmarket.Options{MaxMemory: maxMemory, KeepZeros: true})
		return m, err
	}
	return s
}

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

// sized returns the parameters of the surrogate whose number of nonzeros is nearest to nnz; from 5e4 to 1e8 nonzeros
// it is within 30 %.
func sized(s *matrixio.Surrogate, nnz int64) (best generate.Params, err error) {
	kind, ok := generate.Find(s.Generator)
	if !ok {
		return nil, fmt.Errorf("there is no generator %q", s.Generator)
	}
	edges := []string{"n"}
	if kind.Params[0].Name == "nx" {
		edges = []string{"nx", "ny"}
	}
	distance := math.Inf(1)
	try := func(n, shorter int) (size int64) {
		p := generate.Params(maps.Clone(s.Params))
		for i, edge := range edges {
			p[edge] = float64(n - i*shorter)
		}
		_, size, err := kind.Estimate(p)
		if err != nil {
			return math.MaxInt64
		}
		if d := math.Abs(math.Log(float64(size) / float64(nnz))); d < distance {
			best, distance = p, d
		}
		return size
	}
	// Edges up to the first that is too long.
	lo, hi := 1, int(kind.Params[0].Max)
	for lo < hi {
		if mid := lo + (hi-lo)/2; try(mid, 0) < nnz {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for n := max(lo-1, 1); n <= lo; n++ {
		try(n, 0)
		if n > 1 {
			try(n, 1)
		}
	}
	return best, nil
}
