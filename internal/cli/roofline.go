package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/bandwidth"
	"github.com/mpsolve/mpsolve/internal/machine"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/internal/roofline"
	"github.com/mpsolve/mpsolve/internal/roofline/draw"
	"github.com/mpsolve/mpsolve/internal/spmvbench"
)

// benchRooflineFlags are the flags of `mpsolve bench roofline`.
type benchRooflineFlags struct {
	formats         []string
	intensity       []int
	threads         []int
	size            memorySize
	repeat          int
	budget          time.Duration
	figure          string
	bandwidth, json bool
}

const benchRooflineLong = `Measure performance over arithmetic intensity, for every format that stores numbers.

An array well beyond the cache is read in a storage format, converted to the precision
of the arithmetic, and every value goes through some multiply-adds, two FLOPs each. What
conversion costs counts as time, not as FLOPs. FP64 and FP32 convert nothing,
FP64-over-FP32 stores FP32 and computes in FP64, as all other formats do. A format of
fewer bytes is faster as long as memory bounds.`

func newBenchRoofline(s streams) *cobra.Command {
	var f benchRooflineFlags
	var names []string
	for _, c := range roofline.Configs() {
		names = append(names, c.Name)
	}
	c := &cobra.Command{
		Use: "roofline", Short: "Measure performance over arithmetic intensity", Long: benchRooflineLong,
		Example: "  mpsolve bench roofline --formats FP64,FP32,FP64-over-FP32 --figure roofline.svg\n" +
			"  mpsolve bench roofline --threads 1 --time 1m --json",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("bench roofline takes no files, but %q", args[0])
			}
			return f.run(c.Context(), s)
		},
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.formats, "formats", nil, "list of "+strings.Join(names, ", ")+" (default all)")
	fl.IntSliceVar(&f.intensity, "intensity", roofline.Intensities(), "list of FLOPs per value, even numbers")
	fl.IntSliceVar(&f.threads, "threads", nil, "list of numbers of threads (default 1 and all processors)")
	fl.Var(&f.size, "size", "of the array, such as 1GB (default four times the last-level cache)")
	fl.IntVar(&f.repeat, "repeat", 3, "turns")
	fl.DurationVar(&f.budget, "time", 0, "time to measure, such as 30s: fewer turns, but at least one; 0: no limit")
	fl.BoolVar(&f.bandwidth, "bandwidth", true, "measure the bandwidth of memory first")
	fl.StringVar(&f.figure, "figure", "", "`file` for a figure, .svg or .png")
	fl.BoolVar(&f.json, "json", false, "print one JSON object a line for each point instead of tables")
	completeWords(c, "formats", names)
	return c
}

func (f *benchRooflineFlags) run(ctx context.Context, s streams) error {
	on := machineInUse()
	opt, err := f.check(on.LLCBytes)
	if err != nil {
		return err
	}
	status := newStatusLine(s.err)
	defer status.done()
	opt.Progress = func(text string) { status.show(func() string { return text }) }
	limits := map[int]float64{}
	if f.bandwidth {
		opt.Progress("measuring the bandwidth of memory")
		measured, err := spmvbench.MeasureLimits(ctx, opt.Size, opt.Threads)
		if err != nil {
			return err
		}
		for threads, l := range measured {
			limits[threads] = l.Read
		}
	}
	points, err := roofline.Measure(ctx, opt)
	if err != nil {
		return err
	}
	status.clear()
	out := &firstError{w: s.out}
	if f.json {
		_ = report.RooflineJSON(out, on, limits, points)
	} else {
		report.OnMachine(out, on)
		for _, threads := range opt.Threads {
			report.Roofline(out, threads, limits[threads], opt.Intensities, points)
		}
	}
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	if f.figure == "" {
		return nil
	}
	return writeFile(f.figure, func(w io.Writer) error { return draw.Write(w, f.figureFormat(), points) })
}

// figureFormat is what the name of the figure ends with.
func (f *benchRooflineFlags) figureFormat() string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(f.figure)), ".")
}

// check turns flags into options; every fault is found before any work.
func (f *benchRooflineFlags) check(cache int64) (opt roofline.Options, err error) {
	opt = roofline.Options{Intensities: f.intensity, Size: int64(f.size), Repeat: f.repeat, Budget: f.budget}
	if opt.Threads, err = threadCounts(f.threads); err != nil {
		return opt, err
	}
	memory := machine.Memory()
	if opt.Size == 0 {
		opt.Size = bandwidth.Size(cache, memory)
	}
	for _, i := range f.intensity {
		if i < 2 || i%2 != 0 {
			return opt, usage("--intensity %d: want an even number, at least 2", i)
		}
	}
	switch {
	case f.repeat < 1 || f.budget < 0:
		return opt, usage("--repeat %d, --time %v: want at least one turn and a positive duration", f.repeat, f.budget)
	case memory > 0 && opt.Size > memory:
		return opt, usage("--size %s: the machine has less memory", f.size.String())
	case f.figure != "" && !slices.Contains(draw.Formats, f.figureFormat()):
		return opt, usage("--figure %s: want a name that ends with .%s", f.figure, strings.Join(draw.Formats, " or ."))
	}
	if err := checkOutput("figure", f.figure); err != nil {
		return opt, err
	}
	opt.Configs = roofline.Configs()
	if len(f.formats) > 0 {
		opt.Configs = nil
	}
	for _, name := range f.formats {
		c, err := roofline.Lookup(name)
		if err != nil {
			return opt, usage("--formats: %v", err)
		}
		opt.Configs = append(opt.Configs, c)
	}
	return opt, nil
}
