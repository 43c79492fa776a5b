package solve

import (
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// variant is a preconditioner that may be tried.
type variant struct {
	kind    precond.Kind
	dropTol float64 // unless the options have one; 0: the default
	fill    float64 // the same
	most    float64 // multiplications a nonzero that its set-up may take, whatever the budget; 0: no such limit

	byDomain bool // it is of the parts of a matrix, not of the whole
}

func (v variant) String() string {
	if v.dropTol == 0 {
		return string(v.kind)
	}
	return fmt.Sprintf("%s, drop %.0e", v.kind, v.dropTol)
}

// drop is the drop tolerance that comes of it.
func (v variant) drop() float64 {
	if v.dropTol == 0 {
		return precond.DefaultDropTol
	}
	return v.dropTol
}

// A rung of the ladder is a method with a preconditioner.
type rung struct {
	method Method
	variant
	trial bool // it goes on only while it promises to take less than the next one
	wide  bool // its vectors are double-double
}

func (r rung) String() string {
	text := string(r.method)
	if r.kind != precond.None {
		text += fmt.Sprintf(" with %s", r.variant)
	}
	if r.wide {
		text += " in double-double"
	}
	return text
}

// complete reports whether the preconditioner is a complete factorisation, A itself but for
// rounding: its cost is known before it is set up.
func (v variant) complete() bool {
	return (v.kind == precond.LU || v.kind == precond.Cholesky) && !v.byDomain
}

// A row of a table of rungs: a preconditioner, and the systems that it is for.
type row struct {
	variant
	when   func(s *Solver) bool // nil: all
	method Method               // if the rules choose that; "": the one of the table
	trial  bool
}

// The tables of rungs, in the order of expected cost: what is tried first suits most systems
// of its kind. Drop tolerances after the first of a kind wait for what that shows, see
// ladder.skip. Sizes are from measurements of all kinds on real and generated matrices; see
// docs/solvers.md.
var (
	// definite is for conjugate gradients.
	definite = []row{
		{variant: variant{kind: precond.BlockJacobi}, when: (*Solver).diagonalOfNodes, trial: true},
		{variant: variant{kind: precond.Jacobi}, when: (*Solver).diagonalAlone, trial: true},
		{variant: variant{kind: precond.Cholesky, most: smallWork}, when: (*Solver).small},
		{variant: variant{kind: precond.Cholesky, most: completeWork}, when: (*Solver).compact},
		{variant: variant{kind: precond.FSAI}, when: (*Solver).largeWithNodes, trial: true},
		{variant: variant{kind: precond.AMG}, when: (*Solver).large},
		{variant: variant{kind: precond.FSAI}, when: (*Solver).large},
		{variant: variant{kind: precond.ICT}},
		{variant: variant{kind: precond.Cholesky}},
		{variant: variant{kind: precond.ICT, dropTol: 1e-3}},
		{variant: variant{kind: precond.ICT, dropTol: 1e-2}},
		{variant: variant{kind: precond.ICT, dropTol: 1e-8, fill: wideFill}},
		{variant: variant{kind: precond.IC0}},
		{variant: variant{kind: precond.None}},
	}
	// general is for GMRES and BiCGStab.
	general = []row{
		{variant: variant{kind: precond.Jacobi}, when: (*Solver).diagonal, method: BiCGStab, trial: true},
		{variant: variant{kind: precond.LU, most: smallWork}, when: (*Solver).small},
		{variant: variant{kind: precond.LU, most: completeWork}, when: (*Solver).compact},
		{variant: variant{kind: precond.ILU0}, when: (*Solver).largeSwept, method: BiCGStab, trial: true},
		{variant: variant{kind: precond.AMG}, when: (*Solver).largeDiffusion, method: BiCGStab},
		{variant: variant{kind: precond.AMG}, when: (*Solver).largeDiffusion},
		{variant: variant{kind: precond.LU, most: littleWork}, when: (*Solver).likeNetwork},
		{variant: variant{kind: precond.ILU0}, when: (*Solver).diagonal, method: BiCGStab, trial: true},
		{variant: variant{kind: precond.ILU0}, when: (*Solver).manyRows},
		{variant: variant{kind: precond.ILUT}},
		{variant: variant{kind: precond.LU}},
		{variant: variant{kind: precond.ILUT, dropTol: 1e-3}},
		{variant: variant{kind: precond.ILUT, dropTol: 1e-2}},
		{variant: variant{kind: precond.ILUT, dropTol: 1e-8, fill: wideFill}},
		{variant: variant{kind: precond.ILU0}, when: (*Solver).fewRows},
		{variant: variant{kind: precond.None}},
	}
	// indefinite is for the same methods where incomplete factors are known to be of little use:
	// zeros on the diagonal, as in saddle points, and symmetric matrices on which conjugate
	// gradients failed.
	indefinite = append([]row{{variant: variant{kind: precond.LU}}}, general...)
	// alone is for a scaled matrix that no preconditioner suits.
	alone = []row{{variant: variant{kind: precond.None}}}
)

const (
	multigridNonzeros = 100_000 // nonzeros from which multigrid is tried first
	sparseRows        = 40_000  // rows from which ILU(0) comes before ILUT
	wideFill          = 30      // Options.Fill of a small drop tolerance
	networkNonzeros   = 10      // nonzeros a row of networks, at most
	littleWork        = 100     // multiplications a nonzero of a complete factorisation that costs no more than ILUT
)

func (s *Solver) large() bool          { return s.nonzeros() >= multigridNonzeros }
func (s *Solver) manyRows() bool       { return s.rows() >= sparseRows }
func (s *Solver) fewRows() bool        { return !s.manyRows() }
func (s *Solver) largeDiffusion() bool { return s.manyRows() && !s.Facts.Symmetric && s.likeMMatrix() }

func (s *Solver) largeSwept() bool {
	return s.largeDiffusion() && (s.direction() > oneWay || s.fewSweeps())
}
func (s *Solver) diagonal() bool       { return s.Facts.DiagonalZero == 0 }
func (s *Solver) largeWithNodes() bool { return s.large() && s.hasNodes() }

func (s *Solver) diagonalOfNodes() bool { return s.diagonal() && s.hasNodes() }
func (s *Solver) diagonalAlone() bool   { return s.diagonal() && !s.hasNodes() }

func (s *Solver) hasNodes() bool { return s.nodeSize() > 1 }

// nodeSize is the number of unknowns of a node.
func (s *Solver) nodeSize() int {
	return s.looks.nodes.get(s.sight().nodes)
}

func (s *Solver) likeMMatrix() bool {
	return s.looks.mMatrix.get(func() bool { return s.sight().mostRows(likeMMatrix) })
}

// likeNetwork reports whether complete factors may be cheap and ILU(0) may not help: a matrix
// with many rows of few nonzeros, most of which are not diagonally dominant, such as of grids
// of power lines. What complete factors take shows when their rows are ordered.
func (s *Solver) likeNetwork() bool {
	return s.manyRows() && s.nonzeros() <= networkNonzeros*s.rows() && !s.sight().mostRows(dominant)
}

// ladder is rungs, found once.
func (s *Solver) ladder() []rung { return s.looks.rungs.get(s.rungs) }

// rungs returns the ladder of the system: each rung is a fallback of those before it.
func (s *Solver) rungs() []rung { return s.widened(s.withoutIdle(s.allRungs())) }

// allRungs are the rungs by the tables.
func (s *Solver) allRungs() []rung {
	other := s.Method // of systems that turn out not to be definite
	if s.Method == CG && s.opt.Method != CG {
		other = GMRES
	}
	if kind := s.opt.Precond.Kind; kind != PrecondAuto {
		requested := []row{{variant: variant{kind: kind}}}
		return s.join(s.Method, requested, other, requested)
	}
	t := ladderTables{definite, general, indefinite}
	switch {
	case s.opt.Device != nil && s.job != nil:
		t = ladderTables{alone, alone, alone}
	case s.opt.Device != nil:
		t = tablesOnDevice
	case s.job != nil:
		t = tablesByDomain
	}
	switch {
	case s.Method == MINRES:
		return s.join(s.Method, alone, other, nil)
	case s.Method == CG && !s.symmetric():
		return s.join(s.Method, alone, other, t.general)
	case s.Method == CG:
		return s.join(s.Method, t.definite, other, t.indefinite)
	case s.Facts.DiagonalZero > 0:
		return s.join(s.Method, nil, other, t.indefinite)
	}
	return s.join(s.Method, nil, other, t.general)
}

// ladderTables are the tables of rungs for a kind of place.
type ladderTables struct{ definite, general, indefinite []row }

// join returns the rungs of a method, and those of another if it is one, that suit the system.
func (s *Solver) join(first Method, rows []row, second Method, more []row) (list []rung) {
	seen := map[rung]bool{}
	add := func(method Method, rows []row) {
		for _, r := range rows {
			v := r.variant
			v.byDomain = s.job != nil
			if s.opt.Precond.DropTol != 0 || s.opt.Precond.Fill != 0 { // one of each kind, as requested
				v.dropTol, v.fill = 0, 0
			}
			d, _ := precond.Lookup(v.kind)
			kind, _ := krylov.KindOf(string(method))
			next := rung{method: method, variant: v, trial: r.trial}
			if r.method != "" && s.opt.Method == Auto {
				next.method = r.method
			}
			switch {
			case seen[next] || r.when != nil && !r.when(s):
			case v.early() && (s.opt.NoRefine || s.opt.Precond.DropTol != 0 || s.opt.Precond.Fill != 0): // others are asked for
			case r.trial && (s.opt.NoRefine || method != first && len(list) > 0):
			case !s.suits(v.kind) && s.opt.Precond.Kind == PrecondAuto:
			case d.Definite && !kind.Definite && s.opt.Precond.Kind == PrecondAuto:
			case v.most > 0 && seen[rung{method: method, variant: variant{kind: v.kind}}]: // which takes less, too
			default:
				seen[next] = true
				list = append(list, next)
			}
		}
	}
	add(first, rows)
	if second != first || rows == nil {
		add(second, more)
	}
	return list
}

// explain says why the first rung is the first.
func (s *Solver) explain(rungs []rung) {
	first, why := rungs[0], "the matrix is not definite and small"
	switch {
	case first.trial:
		k := slices.IndexFunc(rungs, func(r rung) bool { return !r.trial })
		why = fmt.Sprintf("a trial, while it promises to take less than %s", rungs[k])
	case s.opt.Precond.Kind != PrecondAuto:
		why = "requested"
	case s.Method == CG && !s.symmetric():
		why = "the scaled matrix is not symmetric"
	case first.kind == precond.None:
		why = "the scaling acts as Jacobi preconditioning"
	case first.most == smallWork:
		why = "the matrix is small, so that complete factors cost little"
	case first.most == completeWork:
		why = "the matrix has small separators, so that complete factors cost little"
	case s.Method == CG && first.kind == precond.AMG:
		why = "the matrix is symmetric and large"
	case s.Method == CG:
		why = "the matrix is symmetric and small"
	case first.kind == precond.AMG:
		why = "the matrix is large and nearly an M-matrix, as from diffusion"
	case first.most > 0:
		why = "the matrix is large and sparse, and its diagonal is small"
	case first.kind == precond.LU:
		why = "the diagonal has zeros"
	case s.manyRows():
		why = "the matrix is not definite and large"
	}
	s.say("precond %s: %s", first.kind, why)
}

const (
	oneWay      = 0.5  // share of couplings with a direction from which transport decides
	relaxation  = 0.95 // precond.Options.Relax, up to
	mostRelaxed = 0.75 // such a share,
	leastLoaded = 0.1  // and below such a mean of row sums
)

// diffuses reports whether ILU(0) is to be relaxed: most rows annihilate the constant, as those of
// differential operators do, which what ILU(0) drops then hardly changes; so fewer iterations are left where
// diffusion couples unknowns in both directions. Where convection decides, ILU(0) follows it and drops little.
func (s *Solver) diffuses() bool {
	sums := s.rowSums()
	return s.shape() != expander && sums.share < mostlyLoaded && sums.mean < leastLoaded && s.direction() < mostRelaxed
}

// transports reports whether transport decides on a mesh. Subdomains of ILU(0) would break its paths, and take
// twice the iterations.
func (s *Solver) transports() bool {
	return s.manyRows() && s.shape() != expander && s.direction() > oneWay && s.likeMMatrix()
}

func (s *Solver) direction() float64 {
	return s.looks.direction.get(s.sight().direction)
}
