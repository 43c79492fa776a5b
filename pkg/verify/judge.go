package verify

import (
	"math"
	"sync"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Judgement is the errors of an x, and whether it explains b. A small backward error alone
// does not show that: where A is singular, x may be so huge that any residual is small
// against T_i ||x||_inf; and a huge unknown hides what is wrong with those that have
// nothing to do with it.
//
// Blocks are the parts of the system that do not matter to each other: the rows and columns
// that are joined by the entries with
//
//	|a_ij x_j| > 2^-10 (|A||x| + |b|)_i.
//
// With X_c = max |x_j| over the columns of a block c, and f_c = max_i (|b_i| + the terms of
// other blocks) / T_i, the right-hand side that x_c has to explain,
//
//	Block        max_c max_i |r_i| / (T_i X_c + |b_i|)
//	Unexplained  max_c max_i (|r_i|/T_i) / f_c
//
// where the terms of other blocks do not count if X_c <= 2^-106 ||x||_inf (x may decay without end from where b is, and
// is rounding far from there), and blocks with f_c = 0, whose solution is zero, count with ||x||_inf in Block and
// not at all in Unexplained. That is at least max (|r_i|/T_i) / max (|b_i|/T_i) of the whole
// system, and of each part of it that no entry joins to others,
// since huge terms of other blocks in f_c would excuse any residual. A system of one block has Block = Row and
// Unexplained = max (|r_i|/T_i) / max (|b_i|/T_i), which row scaling does not change.
type Judgement struct {
	Errors
	Block       float64
	Unexplained float64
	Weights     []float64 // see Judge; nil: x is as good as the tolerance asks for

	// Rounding are the errors that an x may have that is the solution but for its rounding
	// to float64: smaller ones are out of reach, but by luck.
	Rounding Errors
}

// joined is the share of a row's terms from which an entry joins row and column.
const joined = 0x1p-10

// negligible is the X_c/||x||_inf up to which a block asks for nothing but its own b: the unit roundoff of double-double.
const negligible = 0x1p-106

// MaxUnexplained is the Unexplained above which x does not explain b: 0.01, of 219
// inconsistent systems with a small backward error all had more, of 225 others none; or 10
// times a tolerance above 0.001, but at most 1, where x = 0 does as well.
func MaxUnexplained(tol float64) float64 { return max(0.01, min(1, 10*tol)) }

// Judge is Compute with a judgement for a tolerance. Where Block is above the tolerance, or
// Unexplained above MaxUnexplained(tol), Weights are the w_i with which
//
//	max_i |r_i| / (w_i + |b_i|) <= tol
//
// shows that neither is.
func Judge(m *csr.Matrix, x, b []float64, tol float64, pool *parallel.Pool) (Judgement, error) {
	return new(Known).Judge(m, x, b, tol, pool)
}

// Known holds properties of one matrix that judging an x finds, for the next x. The zero value is ready to use. The entries of
// the matrix must not change. Several goroutines may judge at the same time.
type Known struct {
	mu    sync.Mutex
	parts []uint32 // see parts; nil: not found yet
}

// Judge returns the Judgement of the function Judge.
func (k *Known) Judge(m *csr.Matrix, x, b []float64, tol float64, pool *parallel.Pool) (Judgement, error) {
	s, errors, err := check(m, x, b, pool)
	if s == nil {
		return Judgement{Errors: errors, Block: errors.Row}, err
	}
	s.known, s.rows = k, make([]plainRow, m.Rows)
	return s.judge(tol, pool), nil
}

// judge is Judge of an x without NaN and Inf.
func (s *system) judge(tol float64, pool *parallel.Pool) Judgement {
	all := measureAll(s, pool)
	errors := all.errors()
	j := Judgement{Errors: errors, Block: errors.Row, Rounding: all.rounding(s.roundoff())}
	if math.IsInf(errors.Row, 1) {
		return j
	}
	j.Unexplained = all.unexplained.over(all.explained)
	if !(errors.Row <= tol) { // no block is better
		return j
	}
	// Every block has a componentwise error and a residual within these.
	if errors.Componentwise <= tol && all.unexplained.over(all.least) <= MaxUnexplained(tol) {
		return j
	}
	blocks := s.findBlocks(pool)
	if blocks.one() && j.Unexplained <= MaxUnexplained(tol) {
		return j
	}
	blocks.measure()
	block, unexplained := blocks.worst()
	parts := blocks.parts()
	j.Block, j.Unexplained = block, max(j.Unexplained, unexplained, parts.worst())
	if j.Block > tol || j.Unexplained > MaxUnexplained(tol) {
		j.Weights = blocks.weights(tol)
		parts.limit(j.Weights, tol)
	}
	return j
}
