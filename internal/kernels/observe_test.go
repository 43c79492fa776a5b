package kernels

import (
	"slices"
	"testing"
)

// TestObserve checks that every kernel's output passes the hook, which may change it, and that
// restore brings the kernels back.
func TestObserve(t *testing.T) {
	const n = 16
	k := Default()
	vec := func(v float64) []float64 { return slices.Repeat([]float64{v}, n) }
	calls := map[string]func() []float64{
		"dot":  func() []float64 { return []float64{k.Dot(vec(1), vec(2))} },
		"axpy": func() []float64 { y := vec(1); k.Axpy(2, vec(1), y); return y },
		"multi": func() []float64 {
			dst := make([]float64, 4)
			k.MultiDot(dst, [][]float64{vec(1), vec(2), vec(3), vec(4)}, 0, n, vec(1))
			return dst
		},
		"multiaxpy": func() []float64 {
			w := vec(1)
			MultiAxpy(k, make([]float64, 4), [][]float64{vec(1), vec(2), vec(3), vec(4)}, 0, n, w)
			return w
		},
		"axpydot": func() []float64 { y := vec(1); return append(y, k.AxpyDot(2, vec(1), y, vec(1))) },
		"xpay":    func() []float64 { y := vec(1); k.Xpay(vec(1), 2, y); return y },
		"scale":   func() []float64 { y := vec(1); k.Scale(3, y); return y },
		"step":    func() []float64 { r := vec(1); return append(r, k.Step(1, vec(1), vec(1), vec(1), r)) },
		"mul":     func() []float64 { y := vec(1); k.Mul(1, vec(1), vec(1), y); return y },
		"relax":   func() []float64 { r := vec(1); k.Relax(1, vec(1), vec(1), r); return r },
		"csr": func() []float64 {
			y := vec(0)
			CSRMulVec(k, y, 0, 1, []int64{0, 1}, []int32{0}, []float64{2}, vec(1))
			return y
		},
		"csr32": func() []float64 {
			y := vec(0)
			CSRMulVec(k, y, 0, 1, []int64{0, 1}, []int32{0}, []float32{2}, vec(1))
			return y
		},
		"residual": func() []float64 {
			y := vec(0)
			CSRResidualDD(k, y, vec(1), 0, 1, []int64{0, 1}, []int32{0}, []float64{2}, vec(1))
			return y
		},
	}
	for name, call := range calls {
		want := call()
		restore := Observe(func(out []float64) { out[0] = 77 })
		got := call()
		restore()
		if !slices.Contains(got, 77) {
			t.Errorf("%s: %v does not pass the hook", name, got)
		}
		if again := call(); !slices.Equal(again, want) {
			t.Errorf("%s: %v after restore, %v before", name, again, want)
		}
	}
}
