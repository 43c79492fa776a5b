package choice

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// SolveBytes is what a solve with the chosen method takes at least, in bytes.
func (s *System) SolveBytes() int64 { return s.MemoryOf(s.Method) }

// MemoryOf is what a solve with a method takes at least, in bytes: the matrix as given, reordered
// if that may be, scaled and as the method has it, vectors, and what the caller holds.
func (s *System) MemoryOf(m solve.Method) int64 {
	n, nnz := int64(s.Rows()), int64(s.Nonzeros())
	given := csr.Bytes(n, nnz)
	vectors := int64(rules.CommonVectors) + s.MethodVectors(m)
	if s.Opt.Digits != solve.NoDigits {
		vectors += rules.DigitsVectors
	}
	if s.Opt.Precond.Kind != precond.None {
		vectors += 2 * int64(len(s.Opt.Precond.NearNull)) // as given, and scaled
	}
	matrices := given + 8*nnz + rules.StoredBytes*nnz
	if m.Transposes() && !s.KeepsSymmetry() {
		matrices += given + rules.StoredBytes*nnz
	}
	if s.Opt.Reorder != solve.ReorderNone {
		matrices += given + 4*n
		vectors += rules.ReorderVectors
	}
	if !s.Opt.Vectors.Plain() {
		vectors *= 2
	}
	return matrices + 8*n*vectors + s.preciseMemory() + s.Opt.Held
}

// StorageRoom is what the method's matrix may take where rows are filled up with zeros; 0: there is no limit.
func (s *System) StorageRoom() int64 {
	if s.Opt.MaxMemory == 0 {
		return 0
	}
	return max(1, s.Opt.MaxMemory-s.SolveBytes()+rules.StoredBytes*int64(s.Nonzeros()))
}

// uncounted is what the method's matrix takes beyond what memory counts for it: rows that are filled up, or less than nothing where the
// scaled matrix itself serves.
func (s *System) uncounted(a backend.Stored) int64 {
	counted := rules.StoredBytes * int64(s.Nonzeros())
	if a.Storage.Plain() {
		return -counted
	}
	return max(0, a.Bytes-counted)
}

// needed is what setting up a preconditioner takes beside memory, in bytes.
type needed struct {
	Kind  precond.Kind
	Bytes int64
}

// note is told what it takes so far, that of the transpose too.
func (n *needed) note(kind precond.Kind, bytes int64) {
	if n.Kind != kind {
		*n = needed{Kind: kind} // not less than nothing: memory itself is needed
	}
	n.Bytes = max(n.Bytes, bytes)
}

// MethodVectors is the number of work vectors of a method, before cycles of GMRES grow; 0 where
// substitution takes its place.
func (s *System) MethodVectors(m solve.Method) int64 {
	kind, iterative := krylov.KindOf(string(m))
	if !iterative {
		return 0
	}
	return int64(kind.Vectors(s.Rows(), krylov.Use{
		MethodOptions:  krylov.MethodOptions{GMRES: krylov.GMRESOptions{Restart: s.Opt.Restart, Basis: s.Opt.Basis}, IDR: krylov.IDROptions{S: s.Opt.IDR}},
		Preconditioned: s.Opt.Precond.Kind != precond.None,
		Flexible:       s.flexible(),
	}))
}

// BasisRoom is what the basis of a method may grow by, in bytes: half of what is left for it and a preconditioner.
func (s *System) BasisRoom(m solve.Method) int64 {
	if m != solve.GMRES || s.Opt.Restart > 0 {
		return 0
	}
	limit := int64(rules.BasisMemory)
	if s.Opt.MaxMemory > 0 {
		left := s.Opt.MaxMemory - s.MemoryOf(m)
		if s.Opt.Precond.Kind != precond.None {
			left /= 2
		}
		limit = max(0, min(limit, left))
	}
	if d := s.Opt.Device; d != nil && d.Info().Free > 0 {
		limit = max(0, min(limit, d.Info().Free-s.DeviceMemory()))
	}
	if s.Job != nil && s.Opt.Device != nil { // of the rank with the least
		least := []int64{-limit}
		s.Job.Comm.Max(least)
		limit = -least[0]
	}
	return limit
}

// LongestRestart is how far the cycles of GMRES may grow by that many bytes.
func (s *System) LongestRestart(room int64) int {
	vectors := room / int64(max(1, s.Sharing)) / (8 * int64(s.Rows()))
	if s.flexible() {
		vectors /= 2 // a step takes one of the basis and one of Z
	}
	if s.Rows() <= 2*rules.MaxRestart {
		return int(min(vectors, int64(s.Rows())))
	}
	return int(min(vectors, rules.MaxRestart))
}

// Tight reports whether the limit does not allow that many bytes beside the solve.
func (s *System) Tight(bytes int64) bool {
	return s.Opt.MaxMemory > 0 && s.SolveBytes()+bytes > s.Opt.MaxMemory
}

// CheckMemory returns ErrMemory if the solve takes more than the limit, and says what would not.
func (s *System) CheckMemory() error {
	if limit := s.Opt.MaxMemory; limit > 0 && s.SolveBytes() > limit {
		return fmt.Errorf("%w: solving takes %s, the limit is %s%s",
			solve.ErrMemory, humanize.Bytes(uint64(s.SolveBytes())), humanize.Bytes(uint64(limit)), s.wouldFit())
	}
	return nil
}

// ErrMethodMemory is wrapped by the error about a method that takes too much.
var ErrMethodMemory = fmt.Errorf("%w", precond.ErrMemory)

// CheckMethod returns ErrMethodMemory if a solve with a method of a fallback takes more than the limit.
func (s *System) CheckMethod(m solve.Method) error {
	if limit, need := s.Opt.MaxMemory, s.MemoryOf(m); limit > 0 && m != s.Method && need > limit {
		return fmt.Errorf("%w: %s takes %s, the limit is %s", ErrMethodMemory, m, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(limit)))
	}
	return nil
}

// preciseMemory is what x of multiple precision takes in bytes at most, beside a solve: the matrix of its residuals, x, what products make of
// it, and the sizes of its elements.
func (s *System) preciseMemory() int64 {
	if !s.Opt.Precise() {
		return 0
	}
	n, bits := s.Rows(), s.Opt.BitsFor(1/solve.Roundoff)
	nonzeros, lower := int64(s.Nonzeros()), int64(0)
	for _, part := range s.Opt.Lower {
		nonzeros += int64(part.NNZ())
		lower += part.Bytes()
	}
	return lower + mp.MatrixBytes(int64(n), nonzeros) + 3*mp.Bytes(n, bits+solve.LimbBits) + 8*int64(n)
}
