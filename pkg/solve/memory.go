package solve

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Vectors of n elements besides those of the method.
const (
	commonVectors  = 8 // x and b, and those of refinement, correction and measure
	reorderVectors = 2 // x and b, reordered
	digitsVectors  = 5 // weights, probe and steps
)

// storedBytes is what the method's matrix takes for a nonzero at most, its index
// included, besides the scaled FP64 values that it is made from.
const storedBytes = 12

// basisMemory bounds the memory by which a basis grows, whatever the limit.
const basisMemory = 2 << 30

// memory is what a solve with the chosen method takes at least, in bytes.
func (s *Solver) memory() int64 { return s.memoryOf(s.Method) }

// memoryOf is what a solve with a method takes at least, in bytes: the matrix as given, reordered
// if that may be, scaled and as the method has it, vectors, and what the caller holds.
func (s *Solver) memoryOf(m Method) int64 {
	n, nnz := int64(s.rows()), int64(s.nonzeros())
	given := csr.Bytes(n, nnz)
	vectors := int64(commonVectors) + s.methodVectors(m)
	if s.opt.Digits != NoDigits {
		vectors += digitsVectors
	}
	if s.opt.Precond.Kind != precond.None {
		vectors += 2 * int64(len(s.opt.Precond.NearNull)) // as given, and scaled
	}
	matrices := given + 8*nnz + storedBytes*nnz
	if m.transposes() && !s.keepsSymmetry() {
		matrices += given + storedBytes*nnz
	}
	if s.opt.Reorder != ReorderNone {
		matrices += given + 4*n
		vectors += reorderVectors
	}
	if !s.opt.Vectors.plain() {
		vectors *= 2
	}
	return matrices + 8*n*vectors + s.preciseMemory() + s.opt.Held
}

// storageRoom is what the method's matrix may take where rows are filled up with zeros; 0: there is no limit.
func (s *Solver) storageRoom() int64 {
	if s.opt.MaxMemory == 0 {
		return 0
	}
	return max(1, s.opt.MaxMemory-s.memory()+storedBytes*int64(s.nonzeros()))
}

// uncounted is what the method's matrix takes beyond what memory counts for it: rows that are filled up, or less than nothing where the
// scaled matrix itself serves.
func (s *Solver) uncounted(a stored) int64 {
	counted := storedBytes * int64(s.nonzeros())
	if a.storage.plain() {
		return -counted
	}
	return max(0, a.bytes-counted)
}

// needed is what setting up a preconditioner takes beside memory, in bytes.
type needed struct {
	kind  precond.Kind
	bytes int64
}

// note is told what it takes so far, that of the transpose too.
func (n *needed) note(kind precond.Kind, bytes int64) {
	if n.kind != kind {
		*n = needed{kind: kind} // not less than nothing: memory itself is needed
	}
	n.bytes = max(n.bytes, bytes)
}

// methodVectors is the number of work vectors of a method, before cycles of GMRES grow; 0 where
// substitution takes its place.
func (s *Solver) methodVectors(m Method) int64 {
	kind, iterative := krylov.KindOf(string(m))
	if !iterative {
		return 0
	}
	return int64(kind.Vectors(s.rows(), krylov.Use{
		MethodOptions:  krylov.MethodOptions{GMRES: krylov.GMRESOptions{Restart: s.opt.Restart, Basis: s.opt.Basis}, IDR: krylov.IDROptions{S: s.opt.IDR}},
		Preconditioned: s.opt.Precond.Kind != precond.None,
		Flexible:       s.flexible(),
	}))
}

// basisRoom is what the basis of a method may grow by, in bytes: half of what is left for it and a preconditioner.
func (s *Solver) basisRoom(m Method) int64 {
	if m != GMRES || s.opt.Restart > 0 {
		return 0
	}
	limit := int64(basisMemory)
	if s.opt.MaxMemory > 0 {
		left := s.opt.MaxMemory - s.memoryOf(m)
		if s.opt.Precond.Kind != precond.None {
			left /= 2
		}
		limit = max(0, min(limit, left))
	}
	if d := s.opt.Device; d != nil && d.Info().Free > 0 {
		limit = max(0, min(limit, d.Info().Free-s.deviceMemory()))
	}
	if s.job != nil && s.opt.Device != nil { // of the rank with the least
		least := []int64{-limit}
		s.job.Comm.Max(least)
		limit = -least[0]
	}
	return limit
}

// longestRestart is how far the cycles of GMRES may grow by that many bytes.
func (s *Solver) longestRestart(room int64) int {
	vectors := room / int64(max(1, s.sharing)) / (8 * int64(s.rows()))
	if s.flexible() {
		vectors /= 2 // a step takes one of the basis and one of Z
	}
	if s.rows() <= 2*maxRestart {
		return int(min(vectors, int64(s.rows())))
	}
	return int(min(vectors, maxRestart))
}

// tight reports whether the limit does not allow that many bytes beside the solve.
func (s *Solver) tight(bytes int64) bool {
	return s.opt.MaxMemory > 0 && s.memory()+bytes > s.opt.MaxMemory
}

// checkMemory returns ErrMemory if the solve takes more than the limit, and says what would not.
func (s *Solver) checkMemory() error {
	if limit := s.opt.MaxMemory; limit > 0 && s.memory() > limit {
		return fmt.Errorf("%w: solving takes %s, the limit is %s%s",
			ErrMemory, humanize.Bytes(uint64(s.memory())), humanize.Bytes(uint64(limit)), s.wouldFit())
	}
	return nil
}

// errMethodMemory is wrapped by the error about a method that takes too much.
var errMethodMemory = fmt.Errorf("%w", precond.ErrMemory)

// checkMethod returns errMethodMemory if a solve with a method of the ladder takes more than the limit.
func (s *Solver) checkMethod(m Method) error {
	if limit, need := s.opt.MaxMemory, s.memoryOf(m); limit > 0 && m != s.Method && need > limit {
		return fmt.Errorf("%w: %s takes %s, the limit is %s", errMethodMemory, m, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(limit)))
	}
	return nil
}
