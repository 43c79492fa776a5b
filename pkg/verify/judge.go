package verify

import (
	"math"

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
// where blocks with f_c = 0, whose solution is zero, count with ||x||_inf in Block and
// not at all in Unexplained. That is at least max (|r_i|/T_i) / max (|b_i|/T_i) of the whole
// system, since huge terms of other blocks in f_c would excuse any residual. A system of one block has Block = Row and
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

// MaxUnexplained is the Unexplained above which x does not explain b: 0.01, of 219
// inconsistent systems with a small backward error all had more, of 225 others none; or 10
// times a tolerance above 0.001, but at most 1, where x = 0 does as well.
func MaxUnexplained(tol float64) float64 { return max(0.01, min(1, 10*tol)) }

// Judge is Compute with a judgement for a tolerance. Where Block is above the tolerance, or
// Unexplained above MaxUnexplained(tol), Weights are those w_i with which
//
//	max_i |r_i| / (w_i + |b_i|) <= tol
//
// shows that neither is.
func Judge(m *csr.Matrix, x, b []float64, tol float64, pool *parallel.Pool) (Judgement, error) {
	s, errors, err := check(m, x, b)
	if s == nil {
		return Judgement{Errors: errors, Block: errors.Row}, err
	}
	all := measureAll(s, pool)
	errors = all.errors()
	j := Judgement{Errors: errors, Block: errors.Row, Rounding: all.rounding()}
	if math.IsInf(errors.Row, 1) {
		return j, nil
	}
	j.Unexplained = all.unexplained.over(all.explained)
	if !(errors.Row <= tol) { // no block is better
		return j, nil
	}
	// Every block has a componentwise error and a residual within these.
	if errors.Componentwise <= tol && all.unexplained.over(all.least) <= MaxUnexplained(tol) {
		return j, nil
	}
	blocks := s.findBlocks(pool)
	block, unexplained := blocks.worst()
	j.Block, j.Unexplained = block, math.Max(j.Unexplained, unexplained)
	if j.Block > tol || j.Unexplained > MaxUnexplained(tol) {
		j.Weights = blocks.weights(tol)
	}
	return j, nil
}

// blocks are the parts of a system that do not matter to each other.
type blocks struct {
	*system
	of        []int32 // representative of row i, and of column j at Rows + j
	rows      []row
	xmax      []scaled // of a block's representative: X_c
	explained []scaled // f_c
}

// findBlocks joins rows and columns.
func (s *system) findBlocks(pool *parallel.Pool) *blocks {
	k := &blocks{
		system: s, of: make([]int32, s.m.Rows+s.m.Cols), rows: make([]row, s.m.Rows),
		xmax: make([]scaled, s.m.Rows+s.m.Cols), explained: make([]scaled, s.m.Rows+s.m.Cols),
	}
	parts := (s.m.Rows + blockRows - 1) / blockRows
	pool.Run(parts, parallel.Func(func(p int) {
		for i := p * blockRows; i < min((p+1)*blockRows, s.m.Rows); i++ {
			k.rows[i] = s.row(i)
		}
	}))
	for i := range k.of {
		k.of[i] = int32(i)
	}
	k.eachTerm(func(i, j int, matters bool, _ scaled) {
		if matters {
			k.of[k.find(i)] = k.find(k.m.Rows + j)
		}
	})
	for j, v := range s.x {
		c := k.find(k.m.Rows + j)
		k.xmax[c] = k.xmax[c].max(scaled{math.Abs(v), 0})
	}
	for i := range k.rows {
		c := k.find(i)
		k.explained[c] = k.explained[c].max(k.rows[i].perT(k.rows[i].b))
	}
	k.eachTerm(func(i, j int, matters bool, term scaled) {
		if c := k.find(i); !matters && c != k.find(k.m.Rows+j) {
			k.explained[c] = k.explained[c].max(k.rows[i].perT(term))
		}
	})
	return k
}

// eachTerm calls do with each a_ij x_j, and whether it matters in its row.
func (k *blocks) eachTerm(do func(i, j int, matters bool, term scaled)) {
	for i := range k.rows {
		r := &k.rows[i]
		cols, vals := k.m.Row(i)
		scale := r.absAx.plus(r.b)
		e := scale.exponent()
		level := joined * scale.at(e)
		for p, j := range cols {
			a, ea := math.Frexp(vals[p])
			x, ex := math.Frexp(k.x[j])
			term := scaled{math.Abs(a * x), ea + ex}
			do(i, int(j), term.at(e) > level, term)
		}
	}
}

// find returns the representative of row i, or of column i - Rows.
func (k *blocks) find(i int) int32 {
	for int(k.of[i]) != i {
		k.of[i] = k.of[k.of[i]]
		i = int(k.of[i])
	}
	return int32(i)
}

// scale returns T_i X_c for row i of block c.
func (k *blocks) scale(i int) scaled {
	r, c := &k.rows[i], k.find(i)
	if k.explained[c].v == 0 {
		return r.normAx
	}
	return r.t.times(k.xmax[c])
}

// worst returns Block and Unexplained of a Judgement.
func (k *blocks) worst() (block, unexplained float64) {
	for i := range k.rows {
		r := &k.rows[i]
		block = math.Max(block, r.error(k.scale(i)))
		if f := k.explained[k.find(i)]; f.v != 0 {
			unexplained = math.Max(unexplained, r.perT(r.residual).over(f))
		}
	}
	return block, unexplained
}

// weights are those of a Judgement, within the range of float64.
func (k *blocks) weights(tol float64) []float64 {
	w := make([]float64, len(k.rows))
	for i := range k.rows {
		scale := k.scale(i)
		if f := k.explained[k.find(i)]; f.v != 0 {
			explained := k.rows[i].t.times(f).times(scaled{MaxUnexplained(tol) / 2 / tol, 0})
			if explained.over(scale) < 1 {
				scale = explained
			}
		}
		w[i] = min(scale.at(0), math.MaxFloat64)
	}
	return w
}
