package refine

import (
	"github.com/mpsolve/mpsolve/internal/solver/backend"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// bothWays is a preconditioner with its transpose.
type bothWays struct {
	precond.Preconditioner
	transpose precond.Preconditioner // nil: the preconditioner is symmetric
}

// ApplyT computes dst = M^-T src.
func (p bothWays) ApplyT(dst, src []float64) {
	if p.transpose == nil {
		p.Apply(dst, src)
		return
	}
	p.transpose.Apply(dst, src)
}

// Cost returns the cost of both.
func (p bothWays) Cost() precond.Cost {
	if p.transpose == nil {
		return p.Preconditioner.Cost()
	}
	return p.Preconditioner.Cost().Add(p.transpose.Cost())
}

// transposed adds the transpose to made if the method needs it, by setting up the preconditioner of A^T.
func (c *Correction[V, S]) transposed(
	made precond.Preconditioner, v choice.Variant, budget float64, held int64,
) (_ precond.Preconditioner, work float64, err error) {
	if !c.Scaled.Transposes {
		return made, 0, nil
	}
	p := bothWays{Preconditioner: made}
	if !c.Scaled.Symmetric {
		p.transpose, work, err = c.Prepare(c.Ctx, c.Scaled.Transpose(), v, budget, held+made.Cost().Bytes, backend.Stored{})
	}
	return p, work, err
}
