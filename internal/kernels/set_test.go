package kernels

import (
	"bytes"
	"encoding/gob"
	"flag"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"
)

var rounds = flag.Int("rounds", 120, "calls of each kind of TestEveryKernel")

// Every set has every kernel, and kernelCases call each: a new kernel without a case fails here.
func TestEveryKernel(t *testing.T) {
	calls := map[string]int{}
	before := sets
	defer func() { sets = before }()
	sets = slices.Clone(sets)
	for i, k := range sets {
		sets[i] = counted(k, calls)
	}
	rng := rand.New(rand.NewPCG(51, 52))
	pages, each := newPages(t), *rounds
	if testing.Short() { // in emulation
		each = min(each, 40)
	}
	for _, c := range kernelCases {
		t.Run(c.name, func(t *testing.T) {
			for range each {
				c.run(&arena{t: t, pages: pages}, rng)
			}
		})
	}
	for name, n := range calls {
		if n == 0 {
			t.Errorf("no case calls %s", name)
		}
	}
}

// counted returns a set like k whose kernels count their calls.
func counted(k *Set, calls map[string]int) *Set {
	c := *k
	eachKernel(&c, func(name string, kernel reflect.Value) {
		name = k.name + " " + name
		if kernel.IsNil() {
			calls[name+", which is missing"] = 0
			return
		}
		calls[name] = 0
		original := reflect.ValueOf(kernel.Interface())
		kernel.Set(reflect.MakeFunc(kernel.Type(), func(args []reflect.Value) []reflect.Value {
			calls[name]++
			return original.Call(args)
		}))
	})
	return &c
}

// eachKernel visits the kernels of a set: its fields that are functions, and those of its structs. It panics if there
// is any field other than kernels, a name and facts.
func eachKernel(k *Set, visit func(name string, kernel reflect.Value)) {
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name := path + field.Name
			f := v.Field(i)
			f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem() // settable, though not exported
			switch f.Kind() {
			case reflect.Func:
				visit(name, f)
			case reflect.Struct:
				if field.Anonymous { // the kernels of one file
					walk(path, f)
				} else {
					walk(name+".", f)
				}
			case reflect.String, reflect.Bool:
			default:
				panic(name + " is neither a kernel nor a fact")
			}
		}
	}
	walk("", reflect.ValueOf(k).Elem())
}

// Sets are stored by name, also by encoding/gob in a struct.
func TestSetsAreStored(t *testing.T) {
	type holder struct{ Kernels, None *Set }
	for _, k := range Sets() {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(holder{Kernels: k}); err != nil {
			t.Fatal(err)
		}
		var back holder
		if err := gob.NewDecoder(&b).Decode(&back); err != nil || back.Kernels.String() != k.String() || back.None != nil {
			t.Errorf("%v became %v, %v", k, back, err)
		}
	}
	if err := new(Set).UnmarshalBinary([]byte("sse")); err == nil {
		t.Error("a set of no processor is read")
	}
}

// TestObserve checks that every kernel's output passes the hook, which may change it, and that restore brings the
// kernels back.
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

// eachSet runs a test with every set that the processor has, portable Go first.
func eachSet(t *testing.T, test func(t *testing.T, k *Set)) {
	for _, k := range Sets() {
		t.Run(k.String(), func(t *testing.T) { test(t, k) })
	}
}

// arena is memory for the arguments of a call, each between its own guard pages.
type arena struct {
	t     *testing.T
	pages []guardedMemory
	used  int
	shift int // start of the arguments: so many elements after a guard page, or atEnd
}

func newPage(t testing.TB) guardedMemory { return newGuarded(t, 1<<20) }

// newPages returns the memory of an arena for the duration of t.
func newPages(t testing.TB) (pages []guardedMemory) {
	for range 24 {
		pages = append(pages, newPage(t))
	}
	return pages
}

// put copies an argument into the arena.
func put[T any](a *arena, src []T) []T {
	if a.used == len(a.pages) {
		a.pages = append(a.pages, newPage(a.t))
	}
	a.used++
	return placeGuarded(a.pages[a.used-1], a.shift, src)
}

// everywhere runs a call with every set, with its arguments (which it puts into the arena) at the end of a page and
// at every alignment from the start of a page on. The results must equal those of portable Go: bit for bit, or number
// i within tolerance[i].
func everywhere(a *arena, what string, tolerance []float64, call func(k *Set) []float64) {
	a.t.Helper()
	var want []float64
	for _, k := range Sets() {
		for a.shift = atEnd; a.shift < 8; a.shift++ {
			a.used = 0
			got := call(k)
			if want == nil {
				want = append([]float64{}, got...)
			}
			for i := range want {
				if got[i] == want[i] && math.Signbit(got[i]) == math.Signbit(want[i]) || got[i] != got[i] && want[i] != want[i] {
					continue
				}
				if tolerance == nil || !(math.Abs(got[i]-want[i]) <= tolerance[i]) {
					a.t.Fatalf("%s on %s, shift %d: number %d is %v, portable %v", what, k, a.shift, i, got[i], want[i])
				}
			}
		}
	}
}

// normal returns n normally distributed numbers.
func normal[T Value](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

// wide returns numbers as float64.
func wide[T Value | int16 | int32 | int64 | uint8](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func TestChoose(t *testing.T) {
	best := sets[len(sets)-1]
	for _, c := range []struct {
		name string
		want *Set
		bad  bool
	}{
		{"", best, false},
		{"portable", sets[0], false},
		{"avx2", Find("avx2").orBest(), false},
		{"avx512", best, false},
		{"neon", best, false},
		{"sse", best, true},
	} {
		got, err := choose(c.name)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("choose(%q) = %s, %v", c.name, got, err)
		}
	}
}

// orBest returns the set itself, or the best one if the processor does not have it.
func (k *Set) orBest() *Set {
	if k == nil {
		return sets[len(sets)-1]
	}
	return k
}
