package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/gpubench"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// benchGPUFlags are the flags of `mpsolve bench gpu`.
type benchGPUFlags struct {
	device           deviceFlag
	export           string
	generate         []string
	layouts, epsilon []string
	solve            []string
	tol              float64
	maxIter, repeat  int
	budget           time.Duration
	seed             uint64
	products, copy   bool
	json             bool
	maxMemory        memorySize
}

const benchGPULong = `Measure matrix-vector products y = A x on a device, all ways to store A in turns.

Measured are FP64 CSR and every combination of --layout and --epsilon that exists, in
batches of products that take tens of milliseconds each: the least and the median time
of one, the bytes moved (the stored matrix and both vectors, once) next to what the
device reads and writes when it copies, and the error against a product in double-double
arithmetic on the host. With --solve whole systems are solved as well, b being ones: by
the method alone in FP64 CSR, and inside of refinement with the other ways.
--export writes matrices as arrays for other programs, see bench/gpu.`

func newBenchGPU(s streams) *cobra.Command {
	var f benchGPUFlags
	c := &cobra.Command{
		Use: "gpu [FILE...]", Short: "Measure matrix-vector products and solves on a GPU", Long: benchGPULong,
		Example: "  mpsolve bench gpu --device cuda --generate elasticity3d,n=85 --epsilon 2^-24,2^-37,2^-53\n" +
			"  mpsolve bench gpu --device emulate --generate poisson3d,n=10 --solve cg --json",
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), s, args) },
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.device.text, "device", "cuda", "cuda, hip, opencl, with the number of a device as cuda:1, or emulate, the kernels on the host")
	fl.StringArrayVar(&f.generate, "generate", nil, "`matrix` to make, such as elasticity3d,n=46,seed=1; repeatable")
	fl.StringSliceVar(&f.layouts, "layout", gpubench.Layouts(), "list of layouts")
	fl.StringSliceVar(&f.epsilon, "epsilon", []string{"2^-53", "2^-37", "2^-24"}, "list of accuracies, such as 1e-7 or 2^-24")
	fl.StringSliceVar(&f.solve, "solve", nil, "list of methods to solve with: "+strings.Join(gpubench.Methods, ", "))
	fl.Float64Var(&f.tol, "tol", 1e-10, "||b - A x|| / ||b|| that solves go to")
	fl.IntVar(&f.maxIter, "max-iter", 10000, "iterations of a solve at most")
	fl.BoolVar(&f.products, "products", true, "measure products")
	fl.BoolVar(&f.copy, "copy", true, "measure how fast the device copies first")
	fl.IntVar(&f.repeat, "repeat", 20, "turns; solves take a fifth as many")
	fl.DurationVar(&f.budget, "time", 0, "time for the products with one matrix, such as 30s: fewer turns, but at least one; 0: no limit")
	fl.Uint64Var(&f.seed, "seed", 1, "of x, which is random, uniform in [-1, 1)")
	fl.StringVar(&f.export, "export", "", "`folder` for the matrices as arrays, and x")
	fl.Var(&f.maxMemory, "max-memory", "memory limit of the host, such as 4GB; default: what the machine has")
	fl.BoolVar(&f.json, "json", false, "print one JSON object a line instead of tables")
	completeWords(c, "device", onlyDevices)
	completeWords(c, "layout", gpubench.Layouts())
	completeWords(c, "solve", gpubench.Methods)
	return c
}

func (f *benchGPUFlags) run(ctx context.Context, s streams, paths []string) error {
	matrices, opt, err := f.check(s, paths)
	if err != nil {
		return err
	}
	d, err := f.device.open(s)
	if err != nil {
		return err
	}
	defer d.Close()
	opt.Pool = linop.NewPool(runtime.GOMAXPROCS(0))
	defer opt.Pool.Close()
	status := newStatusLine(s.err)
	defer status.done()
	copies, out := 0.0, &firstError{w: s.out}
	if f.copy {
		if copies, err = d.CopyBandwidth(copyBytes(d.Info())); err != nil {
			return err
		}
	}
	if !f.json {
		report.Line(out, "device", "%s", d.Info())
		if f.copy {
			report.Line(out, "copy", "%.1f GB/s, read and written", copies/1e9)
		}
	}
	for k, named := range matrices {
		status.show(func() string { return named.name })
		m, err := named.load(ctx)
		if err != nil {
			return err
		}
		x := generate.RandomVector(m.Cols, f.seed)
		if f.export != "" {
			if err := exportArrays(filepath.Join(f.export, strconv.Itoa(k)), named.name, m, x); err != nil {
				return err
			}
		}
		opt.Progress = func(text string) { status.show(func() string { return named.name + ": " + text }) }
		opt.Note = func(text string) {
			status.clear()
			fmt.Fprintf(s.err, "mpsolve: %s: %s\n", named.name, text)
		}
		if err := f.measure(ctx, d, named.name, m, x, copies, opt, out, status); err != nil {
			return err
		}
		if out.err != nil {
			return fmt.Errorf("writing: %w", out.err)
		}
	}
	return nil
}

// measure measures and reports one matrix.
func (f *benchGPUFlags) measure(ctx context.Context, d *gpu.Device, name string, m *csr.Matrix, x []float64, copies float64, opt gpubench.Options, out *firstError, status statusLine) error {
	on := d.Info()
	if !f.json {
		report.Line(out, "matrix", "%s: %d x %d, %d nonzeros", name, m.Rows, m.Cols, m.NNZ())
	}
	if f.products {
		rows, err := gpubench.Products(ctx, d, m, x, opt)
		if err != nil {
			return err
		}
		for k := range rows {
			rows[k].Copy = copies
		}
		status.clear()
		if f.json {
			_ = report.DeviceProductsJSON(out, on, name, rows)
		} else {
			report.DeviceProducts(out, rows)
		}
	}
	opt.Repeat = max(1, opt.Repeat/5)
	for _, method := range f.solve {
		solves, err := gpubench.Solves(ctx, d, m, method, f.tol, f.maxIter, opt)
		if err != nil {
			return err
		}
		status.clear()
		if f.json {
			_ = report.DeviceSolvesJSON(out, on, name, solves)
		} else {
			report.DeviceSolves(out, solves)
		}
	}
	return nil
}

// check turns flags and arguments into matrices and options before any work.
func (f *benchGPUFlags) check(s streams, paths []string) ([]namedMatrix, gpubench.Options, error) {
	opt := gpubench.Options{Repeat: f.repeat, Budget: f.budget}
	if f.repeat < 1 || f.budget < 0 || f.maxIter < 1 || !(f.tol > 0 && f.tol < 1) {
		return nil, opt, usage("--repeat %d, --time %v, --max-iter %d, --tol %g: want at least one turn and iteration, a positive duration, and a tolerance in (0, 1)",
			f.repeat, f.budget, f.maxIter, f.tol)
	}
	for _, l := range f.layouts {
		if err := oneOf("layout", l, gpubench.Layouts()); err != nil {
			return nil, opt, err
		}
	}
	for _, m := range f.solve {
		if err := oneOf("solve", m, gpubench.Methods); err != nil {
			return nil, opt, err
		}
	}
	if err := f.device.check(onlyDevices); err != nil {
		return nil, opt, err
	}
	var epsilon []float64
	for _, text := range f.epsilon {
		e, err := adaptive.ParseEpsilon(text)
		if err != nil {
			return nil, opt, usage("--epsilon: %v", err)
		}
		epsilon = append(epsilon, e)
	}
	var err error
	if opt.Ways, err = gpubench.Ways(f.layouts, epsilon); err != nil {
		return nil, opt, err
	}
	matrices, err := namedMatrices(s, paths, f.generate, f.maxMemory)
	return matrices, opt, err
}
