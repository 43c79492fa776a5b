package choice

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A saving is an option that takes less memory, as advice names it.
type saving struct {
	option string
	apply  func(s *System) // sets the option; does nothing where it saves nothing
}

// savings are tried in this order: the first ones cost the least time or digits.
var savings = []saving{
	{"Options.Reorder = none", func(s *System) { s.Opt.Reorder = solve.ReorderNone }},
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
