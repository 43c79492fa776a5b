package gpu

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// paperSpecs is every set and some formats, with what a Spec allows.
func paperSpecs(t *testing.T) (list []adaptive.Spec) {
	for _, name := range []string{"AP1", "AP2", "AP3", "AP4", "AP7", "AP7RE", "AP7REU", "AFX", "FP64", "FP32", "BF16", "FP16", "FP64,FP32,FP16,FP8E5M2,drop"} {
		set, err := adaptive.LookupSet(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, criterion := range adaptive.Criteria {
			for _, epsilon := range []float64{0x1p-53, 0x1p-24, 0x1p-11} {
				for k := range 4 {
					s := adaptive.Spec{Set: set, Criterion: criterion, Epsilon: epsilon, PaperExact: k&1 > 0, NoDrop: k&2 > 0, Layout: adaptive.Bucketed}
					some := epsilon == 0x1p-24 && (k == 0 || criterion == adaptive.CW)
					if (some || !testing.Short() && (k == 0 || epsilon == 0x1p-24)) && s.Validate() == nil {
						list = append(list, s)
					}
				}
			}
		}
	}
	return list
}

func TestBucketed(t *testing.T) {
	limitBlocks(t, 2)
	pool := parallel.New(1)
	defer pool.Close()
	matrices := map[string]*csr.Matrix{"decades": generated(t, "poisson3d", generate.Params{"n": 5, "decades": 9, "seed": 1})}
	for name, scale := range map[string]int{"large": 900, "small": -950} {
		m := matrices["decades"].Clone()
		for k, v := range m.Val {
			m.Val[k] = dd.Ldexp(v, scale)
		}
		matrices[name] = m
	}
	matrices["long"] = widened(sparse(300, 300, func(i int) int { return i % 256 * (i % 2) }))
	matrices["short"] = widened(sparse(257, 300, func(i int) int { return i % 7 }))
	exact := map[string]*exactProduct{}
	for name, m := range matrices {
		exact[name] = newExact(m, normal(m.Cols, 1))
	}
	eachDevice(t, func(t *testing.T, d *Device) {
		for _, name := range slices.Sorted(maps.Keys(matrices)) {
			m := matrices[name]
			t.Run(name, func(t *testing.T) {
				for _, spec := range paperSpecs(t) {
					if spent(d, 25_000) {
						continue
					}
					checkBucketed(t, d, m, exact[name], spec, pool)
				}
			})
		}
	})
}

// widened is m with rows of every magnitude, and without subnormal elements, which few
// formats hold.
func widened(m *csr.Matrix) *csr.Matrix {
	for i := range m.Rows {
		_, vals := m.Row(i)
		for k, v := range vals {
			if vals[k] = math.Ldexp(v, 3*(i%40)-60-k%25); math.Abs(v) < 0x1p-200 {
				vals[k] = 1
			}
		}
	}
	return m
}

func checkBucketed(t *testing.T, d *Device, m *csr.Matrix, exact *exactProduct, spec adaptive.Spec, pool *parallel.Pool) {
	what := fmt.Sprintf("%s, exact %v, nodrop %v", spec, spec.PaperExact, spec.NoDrop)
	host, err := adaptive.Build(m, spec, pool)
	if err != nil {
		return // not for this matrix
	}
	a, err := newBucketed(d, host)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer a.Close()
	s := a.(*deviceMatrix).stored.(*bucketedStorage)
	y := bucketedOracle(host, s.shift, exact.x)
	checkProducts(t, what, a, exact.x, y, rowsOracle(s.shift, s.blocks(), 0, nil))
	if spec.Set.Uniform {
		return // as accurate as the format, whatever epsilon is
	}
	if e, bound := exact.error(spec.Criterion, y), spec.Bound(exact.longest, len(host.Buckets())).Product; !(e <= bound) {
		t.Errorf("%s: error %g is above the bound %g", what, e, bound)
	}
}

// bucketedOracle is A x as source/bucketed.c computes it.
func bucketedOracle(a adaptive.Matrix, shift uint32, x []float64) []float64 {
	rows, _ := a.Dims()
	y := make([]float64, rows)
	theta, exps := a.Units()
	buckets := a.Buckets()
	values := make([][]float64, len(buckets))
	byTheta := 0
	for k, b := range buckets {
		values[k] = make([]float64, len(b.Col))
		b.Codec.Decode(values[k], b.Values)
		if b.ByTheta {
			byTheta++
		}
	}
	for i := range y {
		unit := min(i, len(exps)-1)
		s := make([]float64, 1<<shift)
		for k, b := range buckets {
			if k == byTheta && k > 0 {
				multiply(s, theta[unit])
			}
			for e := b.RowPtr[i]; e < b.RowPtr[i+1]; e++ {
				at := &s[(e-b.RowPtr[i])%uint32(len(s))]
				*at = math.FMA(values[k][e], x[b.Col[e]], *at)
			}
		}
		if byTheta == len(buckets) && byTheta > 0 {
			multiply(s, theta[unit])
		}
		y[i] = dd.Ldexp(tree(s, plus64), int(exps[unit]))
	}
	return y
}

func multiply(s []float64, by float64) {
	for k := range s {
		s[k] *= by
	}
}
