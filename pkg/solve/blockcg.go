package solve

import (
	"time"

	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// A blockPlace has corrections that are solved for along with others, by block CG.
type blockPlace[V any, S linop.Scalar[S]] interface {
	// block solves for c.z; ok: there were others to solve with. opt.MaxIter is at least 1.
	block(c *correction[V, S], opt krylov.Options[V]) (result krylov.Result, ok bool)
	// blockWork is what an iteration of that takes besides those of the method alone, in multiplications for each right-hand side.
	blockWork(c *correction[V, S]) float64
}

var _ blockPlace[vector, scalar] = memberPlace{}

// blockSolves are solves with one matrix and one preconditioner.
type blockSolves struct {
	*family
	matrix severalProducts
	made   precond.Preconditioner // nil: none
}

// leastBlock is how many right-hand sides a block has at least.
const leastBlock = 2

// blockTerms is how many multiplications an iteration of block CG takes for each element of a vector and each pair of
// right-hand sides: two Gram matrices and three combinations.
const blockTerms = 5

// inBlocks reports whether c may be solved for along with others.
func (p memberPlace) inBlocks(c *correction[vector, scalar]) bool {
	now := c.attempts.now()
	return p.family.blockSize >= leastBlock && now.method == CG && !now.wide
}

// blockWork implements blockPlace.
func (p memberPlace) blockWork(c *correction[vector, scalar]) float64 {
	if !p.inBlocks(c) {
		return 0
	}
	return blockTerms * float64(p.family.blockSize) * float64(c.at.Dim())
}

// block implements blockPlace.
func (p memberPlace) block(c *correction[vector, scalar], opt krylov.Options[vector]) (result krylov.Result, ok bool) {
	of := blockSolves{family: p.family, matrix: c.matrix.(memberMatrix).memberOperator.of}
	if by := c.attempts.preconditioner(); by != nil {
		of.made = by.made
	}
	if !p.inBlocks(c) || opt.Flexible || opt.Gap != 0 {
		return result, false
	}
	if !c.inBlock {
		opt.Replaces = 0
	}
	r := &request{of: of, column: &krylov.Column{X: c.z, B: c.rhs, Options: opt}}
	p.member.ask(r)
	if r.alone {
		return result, false
	}
	result = r.column.Result
	c.block = max(c.block, r.size)
	c.timed.Count += result.Iterations
	c.timed.Elapsed += r.spent.products
	if of.made != nil {
		c.attempts.tally.count += result.Iterations + 1
		c.attempts.tally.elapsed += r.spent.applications
	}
	return result, true
}

// serve implements served.
func (b blockSolves) serve(requests []*request) {
	if len(requests) < leastBlock {
		requests[0].alone = true
		return
	}
	if b.family.blockCG == nil {
		b.family.blockCG = krylov.NewBlockCG(b.family.host.Host)
	}
	for len(requests) > 0 {
		group := requests[:min(b.family.blockSize, len(requests))]
		requests = requests[len(group):]
		b.solve(group)
	}
}

// solve solves for a group by one block CG.
func (b blockSolves) solve(group []*request) {
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
	b.family.blockCG.Solve(b.family.ctx, products, by, columns)
	share := time.Duration(len(group))
	for _, r := range group {
		r.size = len(group)
		r.spent = away{products: products.elapsed / share, applications: applications.elapsed / share}
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

// timedApplications applies a preconditioner to several vectors, one by one where it is no precond.Several.
type timedApplications struct {
	by      precond.Preconditioner
	elapsed time.Duration
}

// ApplyMany implements krylov.SeveralPreconditioner.
func (p *timedApplications) ApplyMany(dst, src [][]float64) {
	start := time.Now()
	if several, ok := p.by.(precond.Several); ok {
		several.ApplyMany(dst, src)
	} else {
		for k := range dst {
			p.by.Apply(dst[k], src[k])
		}
	}
	p.elapsed += time.Since(start)
}
