package cli

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// besideMatrix uses the right-hand sides in the file of the matrix, if there are any and --rhs was not given.
func (r *solveRun) besideMatrix(v *matrixmarket.Distributed) {
	r.in.known = map[string]*matrixmarket.Content{}
	switch {
	case v.RHS == nil || r.rhsAsked:
	case v.Dist != nil:
		fmt.Fprintf(r.err, "mpsolve: warning: %s: the right-hand sides in the file are not used over several domains\n", r.path)
	default:
		r.in.known[r.path], r.rhs = v.RHS, r.path
	}
}

// complexVectors makes the system complex if the matrix is real and a right-hand side or a guess is complex.
func (r *solveRun) complexVectors(ctx context.Context) error {
	w, real := r.problem.(whole)
	if !real || r.exact.asked {
		return nil
	}
	complex := false
	for _, file := range []struct {
		path, what string
		n          int
	}{{r.rhs, rightHandSide, w.Rows}, {r.guess, r.guessed(), w.Cols}} {
		if file.path == "" || file.what == rightHandSide && !r.fileRHS() {
			continue
		}
		in := r.in
		in.check = ofLength(file.path, file.what, int64(file.n))
		c, err := in.read(ctx, file.path)
		if err != nil {
			return err
		}
		r.in.known[file.path] = c
		complex = complex || c.Field == matrixmarket.Complex
	}
	if !complex {
		return nil
	}
	opt, done := r.in.options()
	defer done()
	need := matrixio.Bytes(int64(w.Rows), int64(w.NNZ())) + 8*int64(w.NNZ())
	if err := opt.Fits(r.path, w.Bytes(), float64(need), "the real form of a %d x %d matrix with complex right-hand sides", w.Rows, w.Cols); err != nil {
		return err
	}
	var form *matrixio.Form
	if _, err := r.realForm(&form)(w.Matrix, make([]float64, w.NNZ())); err != nil {
		return err
	}
	r.problem = complexProblem{whole{form.Matrix}, form}
	return nil
}
