package solve

import "math"

// Complete factors come first where they cost little. In dense fronts a multiplication takes
// about a tenth of the time that it takes in an iteration or in an incomplete factorisation.
const (
	// Up to smallNonzeros a minimum degree order is found to know what complete factors take:
	// the time of some tens of products. They may take smallWork multiplications a nonzero,
	// about the time of ICT.
	smallNonzeros = 150_000
	smallWork     = 10_000
	// Up to compactNonzeros they are tried where the width of the matrix lets expect no more
	// than completeWork; but not for M-matrices, for which multigrid takes less.
	compactNonzeros = 1_000_000
	completeWork    = 4000
	// widthWork is what the factors of a mesh take, in multiplications, by the third power of the
	// size of the separator that cuts it in half ([George73]).
	widthWork = 8
)

func (s *Solver) small() bool { return s.nonzeros() <= smallNonzeros }

// compact reports whether complete factors of a larger matrix are expected to cost so little that it
// is worth to find out: it has small separators, as a mesh in the plane, a small one in
// space, or a long one. The factorisation is refused if it takes more, before it begins.
func (s *Solver) compact() bool {
	return s.looks.compact.get(func() bool {
		if s.small() || s.nonzeros() > compactNonzeros || s.likeMMatrix() {
			return false
		}
		width, err := s.sight().width(s.looks.ctx)
		return err == nil && widthWork*math.Pow(float64(width), 3) <= completeWork*float64(s.nonzeros())
	})
}

// early reports whether a rung comes before the others because complete factors cost little.
func (v variant) early() bool { return v.complete() && v.most > littleWork }

// fewProducts reports whether few products are expected: complete factors come first, or after
// trials, and the matrix is not expected to refuse them.
func (s *Solver) fewProducts(rungs []rung) bool {
	for _, r := range rungs {
		switch {
		case r.trial:
		case r.early():
			return !s.refused(s.shape())
		default:
			return r.complete() && s.small()
		}
	}
	return false
}
