package report

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Checksums are SHA-256 checksums of numbers in little-endian order.
type Checksums struct {
	Matrix string `json:"matrix,omitempty"` // of the checksums of row offsets (64 bits), columns (32 bits, from 0) and values, row by row; "": ranks share it, or a program has it in memory
	RHS    string `json:"rhs"`              // of the right-hand sides, one after the other
	X      string `json:"x"`                // of the solutions
}

// SetChecksums computes the checksums of a system and its solutions, of which b and x yield the elements, one vector after the other. m is nil if
// the checksum of the matrix is left out.
func (r *Report) SetChecksums(m *csr.Matrix, b, x iter.Seq[[]float64]) {
	r.Checksums = &Checksums{RHS: checksum(b), X: checksum(x)}
	if m != nil {
		all := sha256.Sum256([]byte(checksumOf(m.RowPtr) + checksumOf(m.Col) + checksumOf(m.Val)))
		r.Checksums.Matrix = hex.EncodeToString(all[:])
	}
}

// checksumOf returns the checksum of a list.
func checksumOf[T int32 | int64 | float64](v []T) string { return checksum(slices.Values([][]T{v})) }

// checksum returns the SHA-256 checksum of numbers.
func checksum[T int32 | int64 | float64](lists iter.Seq[[]T]) string {
	const chunk = 1 << 13
	h, buffer := sha256.New(), []byte(nil)
	for v := range lists {
		for part := range slices.Chunk(v, chunk) {
			buffer, _ = binary.Append(buffer[:0], binary.LittleEndian, part)
			h.Write(buffer)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Compare writes what two solves have in common, and reports whether their x have the same bits.
func Compare(w io.Writer, a, b *Report) (same bool) {
	line := func(name, p, q string) {
		switch {
		case p == "" || q == "":
			Line(w, name, "not known")
		case p == q:
			Line(w, name, "the same: sha256 %.16s", p)
		default:
			Line(w, name, "different: sha256 %.16s and %.16s", p, q)
		}
	}
	line("matrix", a.Checksums.Matrix, b.Checksums.Matrix)
	line("rhs", a.Checksums.RHS, b.Checksums.RHS)
	line("x", a.Checksums.X, b.Checksums.X)
	choice := func(r *Report) [][2]string {
		return [][2]string{
			{"version", r.Version},
			{"processor", r.Run.Processor},
			{"kernels", r.Run.Kernels},
			{"threads", fmt.Sprint(r.Threads)},
			{"domains", fmt.Sprint(r.Domains)},
			{"device", r.Device.Backend},
			{"method", r.Method},
			{"precond", r.Preconditioner.Text},
			{"layout", r.Layout},
			{"epsilon", fmt.Sprint(float64(r.Epsilon))},
			{"reorder", r.Reorder.Order},
			{"stop", r.Stop},
			{"tolerance", fmt.Sprint(r.Tolerance)},
			{"reason", r.Reason},
			{"iterations", fmt.Sprint(r.InnerIterations)},
			{"arguments", fmt.Sprint(r.Run.Arguments)},
		}
	}
	p, q := choice(a), choice(b)
	for k := range p {
		if p[k] != q[k] {
			Line(w, p[k][0], "%s and %s", p[k][1], q[k][1])
		}
	}
	return a.Checksums.X == b.Checksums.X
}
