package solve

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A saving is a choice of options that takes less memory, as a flag of the command line.
type saving struct {
	flag  string
	apply func(s *Solver) // does nothing where it saves nothing
}

// savings are tried in this order: the first ones cost least time or digits.
var savings = []saving{
	{"--reorder none", func(s *Solver) { s.opt.Reorder = ReorderNone }},
	{"--digits none", func(s *Solver) {
		if s.opt.Digits <= MaxDigits {
			s.opt.Digits = NoDigits
		}
	}},
	{"--method bicgstab", func(s *Solver) {
		if s.Method != CG && s.Method != MINRES && s.Method != LSQR {
			s.Method = BiCGStab
		}
	}},
	{"--vectors double", func(s *Solver) { s.opt.Vectors = Vectors{} }},
	{"--digits 15", func(s *Solver) {
		if s.opt.Digits > MaxDigits {
			s.opt.Digits, s.opt.Bits = MaxDigits, 0
		}
	}},
}

// wouldFit says what would fit into the memory limit: one of the savings, several, or more ranks.
func (s *Solver) wouldFit() string {
	var flags []string
	all := *s
	for _, v := range savings {
		one, before := *s, all.memory()
		if v.apply(&one); one.memory() <= s.opt.MaxMemory {
			return fmt.Sprintf("; %s takes %s", v.flag, humanize.Bytes(uint64(one.memory())))
		}
		if v.apply(&all); all.memory() < before {
			flags = append(flags, v.flag)
		}
		if all.memory() <= s.opt.MaxMemory {
			return fmt.Sprintf("; %s takes %s", strings.Join(flags, " "), humanize.Bytes(uint64(all.memory())))
		}
	}
	room, part := s.opt.MaxMemory-s.opt.Held, all.memory()-s.opt.Held
	if ranks := part/max(room, 1) + 1; room > 0 && ranks <= mostRanks && s.job == nil {
		with := strings.Join(append([]string{""}, flags...), " and ")
		return fmt.Sprintf("; %d ranks with a limit of that size each%s may fit (docs/mpi.md)", ranks, with)
	}
	return ""
}

// mostRanks is the number of ranks above which these are no advice.
const mostRanks = 64

// lighter says what would fit instead of a preconditioner that was refused for its memory.
func (s *Solver) lighter(err error) string {
	switch {
	case !errors.Is(err, precond.ErrMemory):
		return ""
	case s.basisRoom(s.Method) > 0:
		return fmt.Sprintf("; --restart %d leaves it more, --precond none takes none", krylov.DefaultRestart)
	}
	return "; --precond none takes none"
}
