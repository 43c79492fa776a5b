package solve

import "github.com/mpsolve/mpsolve/pkg/precond"

// The tables of rungs for matrices of several domains. Multigrid is that of the whole matrix; factors are
// those of each domain, with a layer of overlap where they need not be symmetric. So complete factors are none of the
// matrix, and come where incomplete ones are of no use.
var (
	definiteByDomain = []row{
		{variant: variant{kind: precond.BlockJacobi}, when: (*Solver).diagonalOfNodes, trial: true},
		{variant: variant{kind: precond.Jacobi}, when: (*Solver).diagonalAlone, trial: true},
		{variant: variant{kind: precond.FSAI}, when: (*Solver).largeWithNodes, trial: true},
		{variant: variant{kind: precond.AMG}, when: (*Solver).large},
		{variant: variant{kind: precond.FSAI}, when: (*Solver).large},
		{variant: variant{kind: precond.ICT}},
		{variant: variant{kind: precond.ICT, dropTol: 1e-3}},
		{variant: variant{kind: precond.ICT, dropTol: 1e-2}},
		{variant: variant{kind: precond.IC0}},
		{variant: variant{kind: precond.None}},
	}
	generalByDomain = []row{
		{variant: variant{kind: precond.Jacobi}, when: (*Solver).diagonal, method: BiCGStab, trial: true},
		{variant: variant{kind: precond.ILU0}, when: (*Solver).largeSwept, method: BiCGStab, trial: true},
		{variant: variant{kind: precond.AMG}, when: (*Solver).largeDiffusion, method: BiCGStab},
		{variant: variant{kind: precond.AMG}, when: (*Solver).largeDiffusion},
		{variant: variant{kind: precond.ILU0}, when: (*Solver).diagonal, method: BiCGStab, trial: true},
		{variant: variant{kind: precond.ILU0}, when: (*Solver).manyRows},
		{variant: variant{kind: precond.ILUT}},
		{variant: variant{kind: precond.ILUT, dropTol: 1e-3}},
		{variant: variant{kind: precond.ILUT, dropTol: 1e-2}},
		{variant: variant{kind: precond.ILU0}, when: (*Solver).fewRows},
		{variant: variant{kind: precond.None}},
		{variant: variant{kind: precond.LU}},
	}
	// indefiniteByDomain is where incomplete factors are of little use; see indefinite.
	indefiniteByDomain = append([]row{{variant: variant{kind: precond.LU}}}, generalByDomain...)
)

// tablesByDomain are these tables.
var tablesByDomain = ladderTables{definiteByDomain, generalByDomain, indefiniteByDomain}
