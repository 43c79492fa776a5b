package solver

import (
	"context"
	"strings"

	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// vectorsOf has a row for each of solve.VectorKinds: its help text, and what makes the refinement with such vectors in
// memory.
var vectorsOf = map[solve.VectorKind]struct {
	help   string
	refine func(ctx context.Context, s *Solver, at *backend.Host) error
}{
	solve.VectorsDouble: {"double", refineDouble},
	solve.VectorsDD: {"dd (double-double, 106 bits)", func(ctx context.Context, s *Solver, at *backend.Host) error {
		s.Say(requestedDD)
		return refineAt(ctx, s, backend.NewHostDD(at))
	}},
	solve.VectorsAuto: {"auto (dd once double cannot go on)", refineDouble},
	solve.VectorsDQ:   {"dq:P,V (dd once the deviation of the last P residual norms is below V; dq is dq:100,0.01)", refineDouble},
}

// requestedDD is said of a solve with double-double vectors.
const requestedDD = "vectors double-double: requested; what the verdict judges is x rounded to float64"

func refineDouble(ctx context.Context, s *Solver, at *backend.Host) error {
	return refineAt(ctx, s, at)
}

// VectorsHelp describes the kinds of vectors.
func VectorsHelp() string {
	var kinds []string
	for _, k := range solve.VectorKinds {
		kinds = append(kinds, vectorsOf[k].help)
	}
	last := len(kinds) - 1
	return strings.Join(kinds[:last], ", ") + " or " + kinds[last]
}
