// multigrid measures the cost of each part of multigrid. For each problem and variant it sets up and solves to a
// row-wise backward error of 1e-10, with b = A ones, and prints a line of a Markdown table.
//
//	go run ./tools/measure multigrid [-threads n] [-maxit n] [-try 'variant;variant'] PROBLEM...
//
// A problem is a Matrix Market file or a generator with its parameters, such as poisson3d,n=100,decades=4. A variant
// is a list of key=value, see variant, or kind=K, another preconditioner. Symmetric matrices are solved by conjugate
// gradients, others by BiCGStab.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/parallel"
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
			m.Smoother = value
		case "coarsening":
			m.Coarsening = value
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
		x[i] = dd.Ldexp(x[i], -p.scaling.Col[i])
	}
}

// ablation lists the variants of docs/multigrid.md.
const ablation = ";theta=0.02;theta=0.08;theta=0.25;theta=0.35;omega=-1;omega=1;omega=1.6;" +
	"smoother=spai0;smoother=chebyshev;smoother=chebyshev,degree=2;smoother=l1-jacobi;" +
	"coarsest=50;coarsest=2000;kcycle;eps=24;eps=53"

func multigridMain() {
	threads := flag.Int("threads", 2, "number of threads")
	most := flag.Int("maxit", 500, "largest number of iterations")
	try := flag.String("try", ablation, "variants, separated by semicolons")
	flag.Parse()
	pool := parallel.New(*threads)
	defer pool.Close()
	fmt.Println("| problem | variant | iterations | set-up s | solve s | CPU s | complexity |\n| --- | --- | ---:| ---:| ---:| ---:| ---:|")
	for _, name := range flag.Args() {
		p, err := multigridRead(name, pool)
		if err != nil {
			fmt.Fprintln(os.Stderr, name, err)
			os.Exit(1)
		}
		for _, v := range strings.Split(*try, ";") {
			fmt.Println(p.line(path.Base(name), v, *most))
		}
	}
}

// line measures a variant.
func (p *multigridProblem) line(name, v string, most int) string {
	if name = strings.TrimSuffix(name, ".mtx.gz"); v == "" {
		v = "default"
	}
	failed := func(why any) string { return fmt.Sprintf("| %s | %s | %v |", name, v, why) }
	kind, opt, err := p.variant(v)
	if err != nil {
		return failed(err)
	}
	start, busy := time.Now(), cpu()
	opt, err = p.findNearNull(opt)
	if err != nil {
		return failed(err)
	}
	g, err := precond.New(context.Background(), kind, p.a, opt.Options, p.pool)
	if err != nil {
		return failed(err)
	}
	setUp := time.Since(start)
	k, row := p.solve(g, most)
	if !(row <= tolerance) {
		return failed(fmt.Sprintf("%.0e after %d iterations", row, k))
	}
	_, complexity, _ := strings.Cut(g.String(), "complexity ")
	complexity, _, _ = strings.Cut(complexity, ",")
	all := time.Since(start)
	return fmt.Sprintf("| %s | %s | %d | %.2f | %.2f | %.2f | %s |", name, v, k, setUp.Seconds(), (all - setUp).Seconds(), cpu()-busy, complexity)
}

// cpu returns the processor time of the process so far in seconds.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
