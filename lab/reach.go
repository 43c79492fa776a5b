package lab

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// insides are the parts of a solver that faults are injected into. They are found by following its pointers, so that
// the solver itself needs no hook.
type insides struct {
	words           [][]byte // values of matrices and preconditioners, as bytes
	preconditioners []reflect.Value
	seen            map[visit]bool
	spared          [2]uintptr // memory of the values of A as given, which must stay
}

type visit struct {
	at unsafe.Pointer
	as reflect.Type
}

var stressPreconditioner = reflect.TypeFor[precond.Preconditioner]()

// reach finds the insides of a solver of s.
func reach(solver *solver.Solver, s *System) *insides {
	in := &insides{seen: map[visit]bool{}}
	if v := s.A.Val; len(v) > 0 {
		first := uintptr(unsafe.Pointer(&v[0]))
		in.spared = [2]uintptr{first, first + uintptr(8*len(v))}
	}
	in.follow(reflect.ValueOf(solver), "")
	return in
}

// follow visits what v, a field of that name, leads to.
func (in *insides) follow(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer:
		key := visit{v.UnsafePointer(), v.Type()}
		if v.IsNil() || in.seen[key] || strings.HasPrefix(v.Type().Elem().PkgPath(), "runtime") {
			return
		}
		in.seen[key] = true
		in.follow(v.Elem(), name)
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if v.Type() == stressPreconditioner && v.CanAddr() {
			in.preconditioners = append(in.preconditioners, v)
		}
		in.follow(v.Elem(), name)
	case reflect.Struct:
		for k := range v.NumField() {
			in.follow(v.Field(k), v.Type().Field(k).Name)
		}
	case reflect.Slice, reflect.Array:
		in.elements(v, name)
	}
}

// elements records the memory of a slice of values and follows the elements of other slices. Indices and widths are
// not values: nothing is promised when an address flips.
func (in *insides) elements(v reflect.Value, name string) {
	kind := v.Type().Elem().Kind()
	values := kind == reflect.Float64 || kind == reflect.Float32 ||
		kind == reflect.Uint8 && strings.EqualFold(name, "values")
	switch {
	case values && v.Kind() == reflect.Slice && v.Len() > 0:
		size := v.Len() * int(v.Type().Elem().Size())
		first := uintptr(v.UnsafePointer())
		key := visit{v.UnsafePointer(), v.Type()}
		if !in.seen[key] && (first+uintptr(size) <= in.spared[0] || first >= in.spared[1]) {
			in.seen[key] = true
			in.words = append(in.words, unsafe.Slice((*byte)(v.UnsafePointer()), size))
		}
	case kind == reflect.Pointer || kind == reflect.Interface || kind == reflect.Struct || kind == reflect.Slice:
		for k := range v.Len() {
			in.follow(v.Index(k), name)
		}
	}
}

// wrap puts change around every preconditioner that is set up.
func (in *insides) wrap(change func(dst []float64)) {
	for _, v := range in.preconditioners {
		settable := reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
		made := settable.Interface().(precond.Preconditioner)
		if _, done := made.(faulty); !done {
			settable.Set(reflect.ValueOf(faulty{made, change}))
		}
	}
}

// faulty is a preconditioner whose results are changed.
type faulty struct {
	precond.Preconditioner
	change func(dst []float64)
}

func (p faulty) Apply(dst, src []float64) {
	p.Preconditioner.Apply(dst, src)
	p.change(dst)
}
