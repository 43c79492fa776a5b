package solve

import "github.com/mpsolve/mpsolve/pkg/precond"

// The tables of rungs on a device. They choose as those of the host do among what runs there: approximate inverses take the
// place of incomplete factors.
var (
	definiteOnDevice = []row{
		{variant: variant{kind: precond.BlockJacobi}, when: (*Solver).diagonalOfNodes, trial: true},
		{variant: variant{kind: precond.Jacobi}, when: (*Solver).diagonalAlone, trial: true},
		{variant: variant{kind: precond.FSAI}, when: (*Solver).largeWithNodes, trial: true},
		{variant: variant{kind: precond.AMG}, when: (*Solver).large},
		{variant: variant{kind: precond.FSAI}},
		{variant: variant{kind: precond.BlockJacobi}},
		{variant: variant{kind: precond.None}},
	}
	generalOnDevice = []row{
		{variant: variant{kind: precond.Jacobi}, when: (*Solver).diagonal, method: BiCGStab, trial: true},
		{variant: variant{kind: precond.AMG}, when: (*Solver).largeDiffusion, method: BiCGStab},
		{variant: variant{kind: precond.AMG}, when: (*Solver).largeDiffusion},
		{variant: variant{kind: precond.ISAI}},
		{variant: variant{kind: precond.BlockJacobi}, when: (*Solver).hasNodes},
		{variant: variant{kind: precond.None}},
		{variant: variant{kind: precond.BlockJacobi}},
	}
)

// tablesOnDevice are these tables.
var tablesOnDevice = ladderTables{definiteOnDevice, generalOnDevice, generalOnDevice}
