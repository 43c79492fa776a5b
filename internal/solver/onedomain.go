package solver

import (
	"github.com/mpsolve/mpsolve/internal/solver/special"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// sayOneDomain logs where a solve on one domain would treat the matrix in another way: if its rows sum to zero, since null spaces
// are not looked for over several domains, and if it is triangular in the order given. Collective.
func (s *Solver) sayOneDomain() {
	const nonzero, above, below = 0, 1, 2 // found in any row: a sum that is not zero, an entry above the diagonal, an entry below it
	found := []int64{0, 0, 0}
	look := []bool{s.Opt.NullSpace.Kind == solve.NullSpaceAuto, s.LeavesAll(), s.LeavesAll()}
	for _, p := range s.Job.Parts {
		for i := p.First(); i < p.End() && (look[nonzero] || look[above] || look[below]); i++ {
			cols, vals := s.M.Row(i) // positions of a segment are in the order of rows
			if look[nonzero] && !special.SumsToZero(vals) {
				found[nonzero], look[nonzero] = 1, false
			}
			if !look[above] && !look[below] {
				continue
			}
			for k, j := range cols {
				switch {
				case vals[k] == 0:
				case int(j) > i:
					found[above], look[above] = 1, false
				case int(j) < i:
					found[below], look[below] = 1, false
				}
			}
		}
	}
	s.Job.Comm.Max(found)
	if found[nonzero] == 0 && s.Opt.NullSpace.Kind == solve.NullSpaceAuto {
		s.Say("nullspace none: every row sums to zero, as in a pure Neumann problem; a solve on one domain looks for the null space")
	}
	if !s.LeavesAll() {
		return
	}
	shape := ""
	switch {
	case found[above]+found[below] == 0:
		shape = "diagonal"
	case found[above] == 0:
		shape = "lower triangular"
	case found[below] == 0:
		shape = "upper triangular"
	}
	if shape != "" {
		s.Say("domains %d: the matrix is %s, which a solve on one domain solves by substitution", s.Job.Domains.Count(), shape)
	}
}
