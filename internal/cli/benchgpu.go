package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// benchGPUFlags are the flags of `mpsolve bench gpu`.
type benchGPUFlags struct {
	timingFlags
	device           deviceFlag
	export           string
	generate         []string
	layouts, epsilon []string
	solve            []string
	tol              float64
	maxIter          int
	seed             uint64
	products, copy   bool
	maxMemory        memorySize
}

const benchGPULong = `Measure matrix-vector products y = A x on a device.

The products are FP64 CSR and every valid combination of --layout and --epsilon. They are timed interleaved, in batches
that take tens of milliseconds each. The table has the least and the median time of a product, its bandwidth, which
counts the stored matrix and both vectors once, the share of the bandwidth of copies on the device, and the error relative
to a product in double-double arithmetic on the host.

With --solve, systems whose b is ones are solved as well: in FP64 CSR by the method alone, in the other forms inside
iterative refinement. --export writes the matrices as arrays for other programs, see bench/gpu.`

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
	fl.StringVar(&f.device.text, "device", "cuda", "cuda, hip or opencl, also with the number of a device as in cuda:1, or emulate, which runs the kernels on the host")
	fl.StringArrayVar(&f.generate, "generate", nil, "`matrix` to generate, such as elasticity3d,n=46,seed=1; repeatable")
	fl.StringSliceVar(&f.layouts, "layout", lab.DeviceLayouts(), "list of layouts")
	fl.StringSliceVar(&f.epsilon, "epsilon", []string{"2^-53", "2^-37", "2^-24"}, "list of accuracies, such as 1e-7 or 2^-24")
	fl.StringSliceVar(&f.solve, "solve", nil, "list of methods to solve with: "+strings.Join(lab.DeviceMethods, ", "))
	fl.Float64Var(&f.tol, "tol", 1e-10, "tolerance of solves for ||b - A x|| / ||b||")
	fl.IntVar(&f.maxIter, "max-iter", 10000, "largest number of iterations of a solve")
	fl.BoolVar(&f.products, "products", true, "measure products")
	fl.BoolVar(&f.copy, "copy", true, "measure how fast the device copies its memory first")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of x, which is random, uniform in [-1, 1)")
	fl.StringVar(&f.export, "export", "", "`folder` to write the matrices and x to, as arrays")
	fl.Var(&f.maxMemory, "max-memory", "memory limit of the host, such as 4GB (default: the memory of the machine)")
	f.timingFlags.add(fl, 20, "number of rounds; solves have a fifth as many", " for the products with one matrix")
	completeWords(c, "device", onlyDevices)
	completeWords(c, "layout", lab.DeviceLayouts())
	completeWords(c, "solve", lab.DeviceMethods)
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
	opt.Pool = parallel.New(runtime.GOMAXPROCS(0))
	defer opt.Pool.Close()
	status := newStatusLine(s.err)
	defer status.done()
	b := gpuBench{benchGPUFlags: f, device: d, out: &firstError{w: s.out}, status: status}
	if f.copy {
		if b.copies, err = d.CopyBandwidth(copyBytes(d.Info())); err != nil {
			return err
		}
	}
	if !f.json {
		report.Line(b.out, "device", "%s", d.Info())
		if f.copy {
			report.Line(b.out, "copy", "%.1f GB/s, read and written", b.copies/1e9)
		}
	}
	for k, named := range matrices {
		status.show(func(int) string { return named.name })
		m, err := named.load(ctx)
		if err != nil {
			return err
		}
		x := generate.RandomVector(m.Cols, f.seed)
		if f.export != "" {
			if err := exportArrays(ctx, filepath.Join(f.export, strconv.Itoa(k)), named.name, m, x); err != nil {
				return err
			}
		}
		opt.Progress = func(text string) { status.show(func(int) string { return named.name + ": " + text }) }
		opt.Note = func(text string) {
			fmt.Fprintf(s.err, "mpsolve: %s: %s\n", named.name, text)
		}
		if err := b.measure(ctx, named.name, m, x, opt); err != nil {
			return err
		}
		if b.out.err != nil {
			return fmt.Errorf("writing: %w", b.out.err)
		}
	}
	return nil
}

// gpuBench is a run of `mpsolve bench gpu` on an open device.
type gpuBench struct {
	*benchGPUFlags
	device *gpu.Device
	copies float64 // bytes per second, 0 if not measured
	out    *firstError
	status *statusLine
}

// measure measures and reports one matrix; out keeps the error of writing.
func (b *gpuBench) measure(ctx context.Context, name string, m *csr.Matrix, x []float64, opt lab.DeviceOptions) error {
	if len(b.solve) > 0 && m.Rows != m.Cols {
		return &exitError{exitInput, fmt.Errorf("%s: the matrix is %d x %d; --solve needs a square one", name, m.Rows, m.Cols)}
	}
	on := b.device.Info()
	if !b.json {
		report.Line(b.out, "matrix", "%s: %d x %d, %d nonzeros", name, m.Rows, m.Cols, m.NNZ())
	}
	if b.products {
		products, err := lab.DeviceProducts(ctx, b.device, m, x, opt)
		if err != nil {
			return err
		}
		if b.json {
			b.out.keep(report.DeviceProductsJSON(b.out, on, name, b.copies, products))
		} else {
			report.DeviceProducts(b.out, b.copies, products)
		}
	}
	opt.Repeat = max(1, opt.Repeat/5)
	for _, method := range b.solve {
		solves, err := lab.DeviceSolves(ctx, b.device, m, method, opt)
		if err != nil {
			return err
		}
		if b.json {
			b.out.keep(report.DeviceSolvesJSON(b.out, on, name, solves))
		} else {
			report.DeviceSolves(b.out, solves)
		}
	}
	return nil
}

// check turns flags and arguments into matrices and options, before any work.
func (f *benchGPUFlags) check(s streams, paths []string) ([]namedMatrix, lab.DeviceOptions, error) {
	opt := lab.DeviceOptions{Repeat: f.repeat, Budget: f.budget, Tol: f.tol, MaxIter: f.maxIter}
	if err := f.timingFlags.check(); err != nil {
		return nil, opt, err
	}
	if f.maxIter < 1 || !(f.tol > 0 && f.tol < 1) {
		return nil, opt, usage("--max-iter %d, --tol %g: want at least one iteration and a tolerance in (0, 1)", f.maxIter, f.tol)
	}
	for i := range f.layouts {
		if err := oneOf("layout", &f.layouts[i], lab.DeviceLayouts()); err != nil {
			return nil, opt, err
		}
	}
	for i := range f.solve {
		if err := oneOf("solve", &f.solve[i], lab.DeviceMethods); err != nil {
			return nil, opt, err
		}
	}
	if err := f.device.check(onlyDevices); err != nil {
		return nil, opt, err
	}
	epsilon, err := accuracies(f.epsilon)
	if err != nil {
		return nil, opt, err
	}
	if opt.Forms, err = lab.DeviceForms(f.layouts, epsilon); err != nil {
		return nil, opt, err
	}
	matrices, err := namedMatrices(s, paths, f.generate, f.maxMemory)
	return matrices, opt, err
}
