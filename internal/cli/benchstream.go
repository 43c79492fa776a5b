package cli

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// benchStreamFlags are the flags of `mpsolve bench stream`.
type benchStreamFlags struct {
	timingFlags
	device    deviceFlag
	exponents []int
	threads   []int
}

const benchStreamLong = `Measure the bandwidth of memory as BabelStream does.

Arrays a, b and c of 2^n doubles go through five kernels: copy (c = a), mul (b = s c), add (c = a + b), triad (a = b + s c)
and dot (a·b). The table has the bandwidth in the fastest and in the median round, in GB/s: the bytes that a kernel reads
and writes, over its time. A write counts once, although most processors read a cache line before they write to it. So
copy, mul, add and triad show less than the traffic of the memory; dot shows all of it. Before the timing, the contents of
the arrays are checked with BabelStream's bounds.

By default each array is four times as large as the last-level cache, and the numbers of threads are powers of two up to
all processors. Timing is interleaved: every round times each kernel once. On a device the time includes the launch of the
kernel and the wait for it.`

func newBenchStream(s streams) *cobra.Command {
	var f benchStreamFlags
	c := &cobra.Command{
		Use: "stream", Short: "Measure the bandwidth of memory as BabelStream does", Long: benchStreamLong,
		Example: "  mpsolve bench stream\n" +
			"  mpsolve bench stream --n 12,16,20,25 --threads 1 --json\n" +
			"  mpsolve bench stream --device cuda --n 25,28",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("bench stream takes no files, got %q", args[0])
			}
			return f.run(c.Context(), s)
		},
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.device.text, "device", onCPU, "cpu, or cuda, hip or opencl, also with the number of a device as in cuda:1, or emulate, which runs the kernels on the host")
	fl.IntSliceVar(&f.exponents, "n", nil, "list of `exponents`: arrays have 2^n doubles (default four times the last-level cache; on a device 25)")
	fl.IntSliceVar(&f.threads, "threads", nil, "list of numbers of threads of the host (default powers of two and all processors)")
	f.timingFlags.add(fl, 20, "number of rounds", " for each size")
	completeWords(c, "device", append([]gpu.Backend{onCPU}, onlyDevices...))
	return c
}

func (f *benchStreamFlags) run(ctx context.Context, s streams) error {
	on := environment()
	opt, err := f.check(on.LLCBytes)
	if err != nil {
		return err
	}
	status := newStatusLine(s.err)
	defer status.done()
	opt.Progress = func(text string) { status.show(func(int) string { return text }) }
	out := &firstError{w: s.out}
	var results []lab.StreamResult
	if f.device.kind == onCPU {
		if results, err = lab.Stream(ctx, opt); err != nil {
			return err
		}
		if f.json {
			out.keep(report.StreamJSON(out, on, results))
		} else {
			report.OnMachine(out, on)
		}
	} else {
		d, err := f.device.open(s)
		if err != nil {
			return err
		}
		defer d.Close()
		if results, err = lab.DeviceStream(ctx, d, opt); err != nil {
			return err
		}
		if f.json {
			out.keep(report.DeviceStreamJSON(out, d.Info(), results))
		} else {
			report.Line(out, "device", "%s", d.Info())
		}
	}
	if !f.json {
		report.Stream(out, results)
	}
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	return nil
}

// mostExponent is the largest value in --n.
const mostExponent = 31

// check turns flags into options. It finds every fault before any work.
func (f *benchStreamFlags) check(cache int64) (opt lab.StreamOptions, err error) {
	opt = lab.StreamOptions{Threads: f.threads, Repeat: f.repeat, Budget: f.budget}
	if err := f.timingFlags.check(); err != nil {
		return opt, err
	}
	if err := f.device.check(append([]gpu.Backend{onCPU}, onlyDevices...)); err != nil {
		return opt, err
	}
	onHost := f.device.kind == onCPU
	switch {
	case !onHost && len(f.threads) > 0:
		return opt, usage("--threads is for the host, not for --device %s", f.device.text)
	case len(f.threads) == 0:
		opt.Threads = powersOfTwo(runtime.GOMAXPROCS(0))
	default:
		if opt.Threads, err = threadCounts(f.threads); err != nil {
			return opt, err
		}
	}
	exponents := f.exponents
	switch {
	case len(exponents) == 0 && onHost:
		exponents = []int{bits.Len64(uint64(lab.ArrayBytes(cache, host.Memory()/4)/8 - 1))}
	case len(exponents) == 0:
		exponents = []int{25} // the default of BabelStream
	}
	for _, n := range exponents {
		if n < 0 || n > mostExponent {
			return opt, usage("--n %d: want 0 to %d", n, mostExponent)
		}
		arrays := 24 << n
		if onHost {
			arrays *= len(opt.Threads)
		}
		if memory := host.Memory(); memory > 0 && int64(arrays) > memory {
			return opt, usage("--n %d: the machine has less memory than three arrays of 2^%d doubles for each number of threads", n, n)
		}
		opt.Sizes = append(opt.Sizes, 1<<n)
	}
	return opt, nil
}

// powersOfTwo returns the powers of two below n, and n.
func powersOfTwo(n int) (list []int) {
	for t := 1; t < n; t *= 2 {
		list = append(list, t)
	}
	return slices.Compact(append(list, n))
}
