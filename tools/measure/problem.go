package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// multigridProblem is a matrix, as given and scaled.
type multigridProblem struct {
	a, given *csr.Matrix
	scaling  csr.Scaling
	facts    csr.Facts
	modes    [][]float64 // rigid-body modes, if the generator knows coordinates; unscaled
	pool     *parallel.Pool
}

func multigridRead(name string, pool *parallel.Pool) (*multigridProblem, error) {
	p := &multigridProblem{pool: pool}
	if err := p.load(name); err != nil {
		return nil, err
	}
	p.facts = csr.Examine(p.given, pool)
	var err error
	if p.scaling, err = csr.SymmetricScaling(p.given, false, pool); err != nil {
		return nil, err
	}
	p.a = p.scaling.Apply(p.given, pool)
	return p, nil
}

// load reads or generates the matrix.
func (p *multigridProblem) load(name string) error {
	if strings.Contains(name, ".mtx") {
		c, err := matrixmarket.ReadFile(context.Background(), name, matrixmarket.Options{})
		if err != nil {
			return err
		}
		p.given, err = c.CSR()
		return err
	}
	parts := strings.Split(name, ",")
	params := generate.Params{}
	for _, s := range parts[1:] {
		key, value, _ := strings.Cut(s, "=")
		f, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return err
		}
		params[key] = f
	}
	var err error
	if p.given, err = generate.Generate(parts[0], params); err != nil {
		return err
	}
	kind, _ := generate.Find(parts[0])
	if precond.BlockSize(p.given) == 1 || !kind.OnGrid {
		return nil
	}
	n, dim, byAxis, err := kind.Coordinates(params)
	if err != nil {
		return err
	}
	x := make([]float64, n*dim)
	for i := range n {
		for axis := range dim {
			x[i*dim+axis] = byAxis[axis*n+i]
		}
	}
	p.modes, err = precond.RigidBodyModes(dim, x)
	return err
}

// multigridOptions are the options of a variant.
type multigridOptions struct {
	precond.Options
	modes bool
	found int // vectors of the near-null space to be found by cycles
}

// variant reads a list of key=value.
func (p *multigridProblem) variant(v string) (kind precond.Kind, o multigridOptions, err error) {
	kind = precond.AMG
	o.Symmetric = p.facts.Symmetric
	for _, s := range strings.Split(v, ",") {
		key, value, _ := strings.Cut(s, "=")
		f, _ := strconv.ParseFloat(value, 64)
		switch m := &o.Multigrid; key {
		case "default":
		case "kind": // of preconditioner
			kind = precond.Kind(value)
		case "theta": // strength of connection
			m.Threshold = f
		case "omega": // smoothing of prolongators
			m.Omega = f
		case "smoother":
			m.Smoother = precond.Smoother(value)
		case "degree": // steps of the smoother
			o.Degree = int(f)
		case "coarsest": // rows of the coarsest matrix
			m.Coarsest = int(f)
		case "kcycle":
			m.KCycle = true
		case "eps": // accuracy of storage, 2^-eps
			o.Epsilon = math.Ldexp(1, -int(f))
		case "block": // unknowns of a node
			o.BlockSize = int(f)
		case "modes": // rigid-body modes
			o.modes = true
		case "found": // vectors of the near-null space, besides constants, by three cycles
			o.found = int(f)
		default:
			return kind, o, fmt.Errorf("unknown key %q", key)
		}
	}
	return kind, o, nil
}

// findNearNull sets the near-null space: rigid-body modes, or constants and what remains of random vectors after
// three cycles with the constants, as in adaptive smoothed aggregation.
func (p *multigridProblem) findNearNull(o multigridOptions) (multigridOptions, error) {
	size := o.BlockSize
	if size == 0 {
		size = precond.BlockSize(p.a)
	}
	null := precond.Constants(p.a.Rows, size)
	if o.modes && p.modes != nil {
		null = nil
		for _, v := range p.modes {
			null = append(null, slices.Clone(v))
		}
	}
	for _, v := range null {
		p.scale(v)
	}
	o.Multigrid.NearNull = null
	if o.found == 0 {
		return o, nil
	}
	g, err := precond.New(context.Background(), precond.AMG, p.a, o.Options, p.pool)
	if err != nil {
		return o, err
	}
	a, h := linop.NewCSR(p.a, p.pool), linop.NewHost(p.a.Rows, p.pool)
	for k := range o.found {
		r := rand.New(rand.NewPCG(uint64(k), 7))
		x, y, z := h.New(), h.New(), h.New()
		for i := range x {
			x[i] = r.Float64() - 0.5
		}
		p.scale(x)
		for range 3 {
			a.Apply(y, x)
			g.Apply(z, y)
			h.Axpy(-1, z, x)
		}
		null = append(null, x)
	}
	o.Multigrid.NearNull = null
	return o, nil
}

// scale converts x of A x = b to the x of the scaled system.
func (p *multigridProblem) scale(x []float64) {
	for i := range x {
		x[i] = csr.Ldexp(x[i], -p.scaling.Col[i])
	}
}
