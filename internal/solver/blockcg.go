package solver

import (
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/refine"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

var _ refine.BlockBackend[vector, scalar] = columnBackend{}

// blockSolves are solves with one matrix and one preconditioner.
type blockSolves struct {
	*Batch
	matrix severalProducts
	made   precond.Preconditioner // nil: none
}

// leastBlock is the least number of right-hand sides of a block.
const leastBlock = 2

// blockTerms is the number of multiplications of an iteration of block CG for each element of a vector and each pair of right-hand
// sides: two Gram matrices and three combinations.
const blockTerms = 5

// inBlocks reports whether the correction c may be solved for together with others.
func (p columnBackend) inBlocks(c *refine.Correction[vector, scalar]) bool {
	now := c.Attempts.Now()
	return p.Batch.BlockSize >= leastBlock && now.Method == solve.CG && !now.Wide
}

// BlockWork implements refine.BlockBackend.
func (p columnBackend) BlockWork(c *refine.Correction[vector, scalar]) float64 {
	if !p.inBlocks(c) {
		return 0
	}
	return blockTerms * float64(p.Batch.BlockSize) * float64(c.At.Dim())
}

// Block implements refine.BlockBackend.
func (p columnBackend) Block(c *refine.Correction[vector, scalar], opt krylov.Options[vector]) (result krylov.Result, ok bool) {
	of := blockSolves{Batch: p.Batch, matrix: c.Matrix.(columnMatrix).columnOperator.of}
	if by := c.Attempts.Preconditioner(); by != nil {
		of.made = by.Made
	}
	if !p.inBlocks(c) || opt.Flexible || opt.Gap != 0 {
		return result, false
	}
	if !c.InBlock {
		opt.Replaces = 0
	}
	r := &Request{Of: of, column: &krylov.Column{X: c.Z, B: c.Rhs, Options: opt}}
	p.Column.Ask(r)
	if r.alone {
		return result, false
	}
	result = r.column.Result
	c.Block = max(c.Block, r.size)
	c.Timed.Count += result.Iterations
	c.Timed.Elapsed += r.spent.products
	if of.made != nil {
		c.Attempts.Tally.Count += result.Iterations + 1
		c.Attempts.Tally.Elapsed += r.spent.applications
	}
	return result, true
}

// Serve implements served.
func (b blockSolves) Serve(requests []*Request) {
	if len(requests) < leastBlock {
		requests[0].alone = true
		return
	}
	if b.Batch.blockCG == nil {
		b.Batch.blockCG = krylov.NewBlockCG(b.Batch.Host.Host)
	}
	for len(requests) > 0 {
		group := requests[:min(b.Batch.BlockSize, len(requests))]
		requests = requests[len(group):]
		b.solve(group)
	}
}

// solve solves for a group by one block CG.
func (b blockSolves) solve(group []*Request) {
	products := &timedProducts{SeveralOperator: b.matrix.SeveralOperator}
	var by krylov.SeveralPreconditioner
	applications := &timedApplications{by: b.made}
	if b.made != nil {
		by = applications
	}
	var columns []*krylov.Column
	for _, r := range group {
		columns = append(columns, r.column)
	}
	b.Batch.blockCG.Solve(b.Batch.Ctx, products, by, columns)
	share := time.Duration(len(group))
	for _, r := range group {
		r.size = len(group)
		r.spent = Away{products: products.elapsed / share, applications: applications.elapsed / share}
	}
}

// timedProducts is an operator whose products are timed.
type timedProducts struct {
	linop.SeveralOperator
	elapsed time.Duration
}

// Several implements linop.SeveralOperator.
func (p *timedProducts) Several(products []linop.Product) {
	start := time.Now()
	p.SeveralOperator.Several(products)
	p.elapsed += time.Since(start)
}

// timedApplications applies a preconditioner to several vectors, one by one where it is no krylov.SeveralPreconditioner.
type timedApplications struct {
	by      precond.Preconditioner
	elapsed time.Duration
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (p *timedApplications) ApplyMany(dst, src [][]float64) {
	start := time.Now()
	if several, ok := p.by.(krylov.SeveralPreconditioner); ok {
		several.ApplyMany(dst, src)
	} else {
		for k := range dst {
			p.by.Apply(dst[k], src[k])
		}
	}
	p.elapsed += time.Since(start)
}
