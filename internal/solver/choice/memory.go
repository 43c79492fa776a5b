package choice

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/mp"
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// SolveBytes returns the least memory of a solve with the chosen method, in bytes.
func (s *System) SolveBytes() int64 { return s.MemoryOf(s.Method) }

// MemoryOf returns the least memory of a solve with a method, in bytes: the matrix as given, reordered if the options allow that,
// scaled, and as stored for the method; vectors; and Options.Held.
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
	if rules.Transposes(m) && !s.KeepsSymmetry() {
		matrices += given + rules.StoredBytes*nnz
	}
	if rules.AsksForOrder(s.Opt.Reorder) || s.Order.Order == rules.ReorderNodes {
		matrices += given + 4*n
		vectors += rules.ReorderVectors
	}
	if !rules.Float64Vectors(s.Opt.Vectors) {
		vectors *= 2
	}
	return matrices + 8*n*vectors + s.preciseMemory() + s.Opt.Held
}

// StorageRoom returns the most bytes that the method's matrix may take with rows filled up with zeros; 0: there is no limit.
func (s *System) StorageRoom() int64 {
	if s.Opt.MaxMemory == 0 {
		return 0
	}
	return max(1, s.Opt.MaxMemory-s.SolveBytes()+rules.StoredBytes*int64(s.Nonzeros()))
}

// uncounted returns the bytes of the method's matrix beyond those that MemoryOf counts: for rows that are filled up. It is negative
// where the scaled matrix itself serves.
func (s *System) uncounted(a backend.Stored) int64 {
	counted := rules.StoredBytes * int64(s.Nonzeros())
	if rules.Plain(a.Storage) {
		return -counted
	}
	return max(0, a.Bytes-counted)
}

// needed is the memory of setting up a preconditioner beyond MemoryOf, in bytes.
type needed struct {
	Kind  precond.Kind
	Bytes int64
}

// note records the memory so far, with the memory of the transpose.
func (n *needed) note(kind precond.Kind, bytes int64) {
	if n.Kind != kind {
		*n = needed{Kind: kind} // at least 0: MemoryOf is needed anyway
	}
	n.Bytes = max(n.Bytes, bytes)
}

// MethodVectors returns the number of work vectors of a method, before cycles of GMRES grow; 0 for substitution.
func (s *System) MethodVectors(m solve.Method) int64 {
	kind, iterative := krylov.KindOf(string(m))
	if !iterative {
		return 0
	}
	vectors := int64(kind.Vectors(s.Rows(), krylov.Use{
		MethodOptions:  krylov.MethodOptions{GMRES: krylov.GMRESOptions{Restart: s.Opt.Restart, Basis: s.Opt.Basis}, IDR: krylov.IDROptions{S: s.Opt.IDR}},
		Preconditioned: s.Opt.Precond.Kind != precond.None,
		Flexible:       s.flexible(),
	}))
	if s.Job != nil && m == solve.CG && s.Job.Domains.JoinsSums() {
		vectors++
	}
	return vectors
}

// BasisRoom returns the bytes by which the basis of a method may grow: half of the memory that is left for it and a preconditioner, and no more
// than its longest cycle takes.
func (s *System) BasisRoom(m solve.Method) int64 {
	if m != solve.GMRES || s.Opt.Restart > 0 {
		return 0
	}
	limit := min(int64(rules.BasisMemory), s.basisBytes(longestCycle(s.Rows())))
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
	if s.Job != nil && s.Opt.Device != nil { // the least of all ranks
		least := []int64{-limit}
		s.Job.Comm.Max(least)
		limit = -least[0]
	}
	return limit
}

// LongestRestart returns the length to which the cycles of GMRES may grow with so many bytes.
func (s *System) LongestRestart(room int64) int {
	return int(min(room/max(1, s.basisBytes(1)), int64(longestCycle(s.Rows()))))
}

// longestCycle is the length to which cycles of GMRES for so many rows may grow.
func longestCycle(rows int) int {
	if rows <= 2*rules.MaxRestart {
		return rows
	}
	return rules.MaxRestart
}

// basisBytes returns the memory of so many steps of GMRES.
func (s *System) basisBytes(steps int) int64 {
	bytes := int64(max(1, s.Sharing)) * 8 * int64(s.Rows()) * int64(steps)
	if s.flexible() {
		bytes *= 2 // a step takes a vector of the basis and a vector of Z
	}
	return bytes
}

// Tight reports whether the memory limit does not allow so many bytes beside the solve.
func (s *System) Tight(bytes int64) bool {
	return s.Opt.MaxMemory > 0 && s.SolveBytes()+bytes > s.Opt.MaxMemory
}

// CheckMemory returns ErrMemory if the solve takes more than the memory limit. The error names options that would take less.
func (s *System) CheckMemory() error {
	if limit := s.Opt.MaxMemory; limit > 0 && s.SolveBytes() > limit {
		return fmt.Errorf("%w: solving takes %s, the limit is %s%s",
			solve.ErrMemory, humanize.Bytes(uint64(s.SolveBytes())), humanize.Bytes(uint64(limit)), s.wouldFit())
	}
	return nil
}

// ErrMethodMemory is wrapped by the error about a method that takes too much memory.
var ErrMethodMemory = fmt.Errorf("%w", precond.ErrMemory)

// CheckMethod returns ErrMethodMemory if a solve with the method of a fallback takes more than the memory limit.
func (s *System) CheckMethod(m solve.Method) error {
	if limit, need := s.Opt.MaxMemory, s.MemoryOf(m); limit > 0 && m != s.Method && need > limit {
		return fmt.Errorf("%w: %s takes %s, the limit is %s", ErrMethodMemory, m, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(limit)))
	}
	return nil
}

// preciseMemory returns the largest memory of an x of multiple precision beside a solve, in bytes: the matrix for its residuals, x, the
// work space of products, and the sizes of the elements of x.
func (s *System) preciseMemory() int64 {
	if !rules.Precise(s.Opt) {
		return 0
	}
	n, bits := s.Rows(), rules.BitsFor(s.Opt, 1/rules.Roundoff)
	nonzeros, lower := int64(s.Nonzeros()), int64(0)
	for _, part := range s.Opt.Lower {
		nonzeros += int64(part.NNZ())
		lower += part.Bytes()
	}
	return lower + mp.MatrixBytes(int64(n), nonzeros) + 3*mp.Bytes(n, bits+kernels.LimbBits) + 8*int64(n)
}

// MethodMemory is the least memory of a solve with a method, in bytes, as Options.MaxMemory counts it, Options.Held included.
type MethodMemory struct {
	Method         solve.Method
	Alone          int64 // without a preconditioner
	Preconditioned int64 // with the preconditioner in use, its set-up included; 0: there is none
	Basis          int64 // part of either by which the basis of GMRES may grow
}

// A saving is an option that takes less memory, as advice names it.
type saving struct {
	option string
	apply  func(s *System) // sets the option; does nothing where it saves nothing
}

// savings are tried in this order: the first ones cost the least time or digits.
var savings = []saving{
	{"Options.Reorder = none", func(s *System) { s.Opt.Reorder, s.Order.Order = solve.ReorderNone, solve.ReorderNone }},
	{"Options.Digits = NoDigits", func(s *System) {
		if s.Opt.Digits <= solve.MaxDigits {
			s.Opt.Digits = solve.NoDigits
		}
	}},
	{"Options.Method = bicgstab", func(s *System) {
		if s.Method != solve.CG && s.Method != solve.MINRES && s.Method != solve.LSQR {
			s.Method = solve.BiCGStab
		}
	}},
	{"Options.Vectors.Kind = double", func(s *System) { s.Opt.Vectors = solve.Vectors{} }},
	{"Options.Digits = 15", func(s *System) {
		if s.Opt.Digits > solve.MaxDigits {
			s.Opt.Digits, s.Opt.Bits = solve.MaxDigits, 0
		}
	}},
}

// wouldFit returns advice on what would fit into the memory limit: one saving, several savings, or more ranks.
func (s *System) wouldFit() string {
	var options []string
	all := *s
	for _, v := range savings {
		one, before := *s, all.SolveBytes()
		if v.apply(&one); one.SolveBytes() <= s.Opt.MaxMemory {
			return fmt.Sprintf("; %s takes %s", v.option, humanize.Bytes(uint64(one.SolveBytes())))
		}
		if v.apply(&all); all.SolveBytes() < before {
			options = append(options, v.option)
		}
		if all.SolveBytes() <= s.Opt.MaxMemory {
			return fmt.Sprintf("; %s takes %s", strings.Join(options, ", "), humanize.Bytes(uint64(all.SolveBytes())))
		}
	}
	room, part := s.Opt.MaxMemory-s.Opt.Held, all.SolveBytes()-s.Opt.Held
	if ranks := part/max(room, 1) + 1; room > 0 && ranks <= rules.MostRanks && s.Job == nil {
		with := strings.Join(append([]string{""}, options...), " and ")
		return fmt.Sprintf("; %d ranks with a limit of that size each%s may fit (docs/mpi.md)", ranks, with)
	}
	return ""
}

// Lighter returns advice on what would fit instead of a preconditioner that was refused for its memory.
func (s *System) Lighter(err error) string {
	switch {
	case !errors.Is(err, precond.ErrMemory):
		return ""
	case s.BasisRoom(s.Method) > 0:
		return fmt.Sprintf("; Options.Restart = %d leaves it more, Options.Precond.Kind = none takes none", krylov.DefaultRestart)
	}
	return "; Options.Precond.Kind = none takes none"
}
