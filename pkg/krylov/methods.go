package krylov

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/linop"
)

// A Kind describes a method of this package, for help texts and memory limits.
type Kind struct {
	Name      string // as Method.Name returns it
	Summary   string // what it is for, in one line
	Symmetric bool   // A must be symmetric, and the preconditioner symmetric positive definite
	Definite  bool   // A must be positive definite, too
	Products  int    // with A, or its transpose, in an iteration
	Transpose bool   // A must be a linop.Transposer, and the preconditioner a TransposedPreconditioner
	Replaces  bool   // goes on in its direction from a residual that is replaced, see Options

	// Vectors is the largest number of n-vectors besides x and b that a solve of
	// dimension n takes on the host.
	Vectors func(n int, use Use) int
}

// Use is how a method will be used, as far as its memory depends on it.
type Use struct {
	MethodOptions
	Preconditioned bool // with Options.Precond
	Flexible       bool // with Options.Flexible as well
}

// MethodOptions are the parameters of all methods; the zero value is useful.
type MethodOptions struct {
	GMRES GMRESOptions
	IDR   IDROptions
}

// method is one row of the table of methods.
type method[V any, S linop.Scalar[S]] struct {
	Kind
	create func(linop.Space[V, S], MethodOptions) Method[V, S]
}

// table lists all methods. A method is added by its file and a row here.
func table[V any, S linop.Scalar[S]]() []method[V, S] {
	return []method[V, S]{
		{
			Kind{Name: "cg", Summary: "conjugate gradients, for symmetric positive definite matrices", Products: 1, Symmetric: true, Definite: true, Replaces: true, Vectors: fixed(3, 1)},
			func(s linop.Space[V, S], _ MethodOptions) Method[V, S] { return NewCG(s) },
		},
		{
			Kind{Name: "bicgstab", Summary: "stabilised bi-conjugate gradients, for any matrix, in little memory", Products: 2, Vectors: fixed(5, 2)},
			func(s linop.Space[V, S], _ MethodOptions) Method[V, S] { return NewBiCGStab(s) },
		},
		{
			Kind{Name: "gmres", Summary: "restarted generalised minimal residuals, for any matrix", Products: 1, Vectors: gmresVectors},
			func(s linop.Space[V, S], opt MethodOptions) Method[V, S] { return NewGMRES(s, opt.GMRES) },
		},
		{
			Kind{Name: "minres", Summary: "minimal residuals, for symmetric matrices, definite or not", Products: 1, Symmetric: true, Vectors: fixed(6, 1)},
			func(s linop.Space[V, S], _ MethodOptions) Method[V, S] { return newMINRES(s) },
		},
		{
			Kind{Name: "cgs", Summary: "conjugate gradients squared, for any matrix, fast or erratic", Products: 2, Vectors: fixed(6, 1)},
			func(s linop.Space[V, S], _ MethodOptions) Method[V, S] { return newCGS(s) },
		},
		{
			Kind{Name: "bicg", Summary: "bi-conjugate gradients, for any matrix, with products with its transpose", Products: 2, Transpose: true, Vectors: fixed(5, 1)},
			func(s linop.Space[V, S], _ MethodOptions) Method[V, S] { return newBiCG(s) },
		},
		{
			Kind{Name: "idr", Summary: "induced dimension reduction IDR(s), for any matrix, between bicgstab and gmres", Products: 1, Vectors: idrVectors},
			func(s linop.Space[V, S], opt MethodOptions) Method[V, S] { return newIDR(s, opt.IDR) },
		},
		{
			Kind{Name: "tfqmr", Summary: "transpose-free quasi-minimal residuals, for any matrix, a smoother cgs", Products: 2, Vectors: fixed(8, 1)},
			func(s linop.Space[V, S], _ MethodOptions) Method[V, S] { return newTFQMR(s) },
		},
		{
			Kind{Name: "lsqr", Summary: "least squares, for any matrix, square or not, with products with its transpose", Products: 2, Transpose: true, Vectors: fixed(5, 1)},
			func(s linop.Space[V, S], _ MethodOptions) Method[V, S] { return NewLSQR(s) },
		},
	}
}

// fixed is the memory of a method that takes so many vectors, and so many more with a
// preconditioner.
func fixed(vectors, preconditioned int) func(int, Use) int {
	return func(_ int, use Use) int {
		if use.Preconditioned {
			return vectors + preconditioned
		}
		return vectors
	}
}

// Methods lists all methods.
var Methods = kinds()

func kinds() (list []Kind) {
	for _, m := range table[[]float64, linop.Float64]() {
		list = append(list, m.Kind)
	}
	return list
}

// KindOf returns the method of that name, false if there is none.
func KindOf(name string) (Kind, bool) {
	for _, k := range Methods {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// New returns the method of that name with its work vectors in space. The error says that
// there is none.
func New[V any, S linop.Scalar[S]](name string, space linop.Space[V, S], opt MethodOptions) (Method[V, S], error) {
	for _, m := range table[V, S]() {
		if m.Name == name {
			return m.create(space, opt), nil
		}
	}
	return nil, fmt.Errorf("krylov: no method %q", name)
}
