// A Form is a real system that is equivalent to a complex one. With A = B + iC, A (x + iy) = b + ic is
//
//	K1: [B -C; C B] (x; y) = (b; c)        eigenvalues of A and their conjugates
//	K4: [C -B; B C] (x; -y) = (c; b)       eigenvalues of -iA and their conjugates
//
// [Day01] recommends the form whose eigenvalues lie on one side of zero. The eigenvalues of the forms K2 and K3 lie
// on both sides in equal numbers, which is bad for Krylov methods. K1 of a Hermitian matrix is symmetric, and
// definite if the matrix is. K4 is K1 of -iA, for matrices whose diagonal is mostly imaginary.
//
// Unknowns are interleaved: x1, y1, x2, y2, ..., so that each entry becomes a 2 x 2 block and related numbers stay
// together in caches, orders, factors and aggregates.
package matrixio

import (
	"math"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Form is the real form of a complex matrix.
type Form struct {
	Name   string      // K1 or K4
	Matrix *csr.Matrix // twice as many rows and columns; parts that are zero are left out. nil on ranks that share it
}

// turned reports whether the form is K1 of -iA, and right-hand sides are -ib: K4 up to signs.
func (f *Form) turned() bool { return f.Name == "K4" }

// Bytes returns an upper bound of the memory of the form of a matrix with so many rows and entries.
func Bytes(rows, entries int64) int64 { return csr.Bytes(2*rows, 4*entries) }

// New returns the form of the matrix with the values of m and these imaginary parts.
func New(m *csr.Matrix, imag []float64) *Form {
	f := &Form{Name: "K1"}
	re, im := m.Val, imag
	turn := 1.0
	if mostlyImaginary(m, imag) { // -i (b + ic) = c - ib
		f.Name = "K4"
		re, im, turn = imag, m.Val, -1
	}
	k := &csr.Matrix{Rows: 2 * m.Rows, Cols: 2 * m.Cols, RowPtr: make([]int64, 2*m.Rows+1)}
	entries := 0
	for e := range re {
		if re[e] != 0 {
			entries += 2
		}
		if im[e] != 0 {
			entries += 2
		}
	}
	k.Col, k.Val = make([]int32, 0, entries), make([]float64, 0, entries)
	add := func(j int32, v float64) {
		if v != 0 {
			k.Col, k.Val = append(k.Col, j), append(k.Val, v)
		}
	}
	for i := range m.Rows {
		lo, hi := m.RowPtr[i], m.RowPtr[i+1]
		for e := lo; e < hi; e++ {
			add(2*m.Col[e], re[e])
			add(2*m.Col[e]+1, -turn*im[e])
		}
		k.RowPtr[2*i+1] = int64(len(k.Val))
		for e := lo; e < hi; e++ {
			add(2*m.Col[e], turn*im[e])
			add(2*m.Col[e]+1, re[e])
		}
		k.RowPtr[2*i+2] = int64(len(k.Val))
	}
	f.Matrix = k
	return f
}

// mostlyImaginary reports whether most of the diagonal is imaginary.
func mostlyImaginary(m *csr.Matrix, imag []float64) bool {
	more := 0
	for i := range m.Rows {
		for e := m.RowPtr[i]; e < m.RowPtr[i+1]; e++ {
			if int(m.Col[e]) != i {
				continue
			}
			if math.Abs(imag[e]) > math.Abs(m.Val[e]) {
				more++
			} else {
				more--
			}
		}
	}
	return more > 0
}

// RHS returns the right-hand side of the form for b + ic; c may be nil.
func (f *Form) RHS(b, c []float64) []float64 {
	v := Unknowns(b, c)
	if f.turned() {
		for k := 0; k < len(v); k += 2 {
			v[k], v[k+1] = v[k+1], -v[k]
		}
	}
	return v
}

// Unknowns returns x + iy interleaved; y may be nil.
func Unknowns(x, y []float64) []float64 {
	v := make([]float64, 2*len(x))
	for i := range x {
		v[2*i] = x[i]
		if y != nil {
			v[2*i+1] = y[i]
		}
	}
	return v
}

// Split returns the real and the imaginary parts of unknowns.
func Split(v []float64) (x, y []float64) {
	x, y = make([]float64, len(v)/2), make([]float64, len(v)/2)
	for i := range x {
		x[i], y[i] = v[2*i], v[2*i+1]
	}
	return x, y
}
