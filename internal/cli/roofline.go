package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// benchRooflineFlags are the flags of `mpsolve bench roofline`.
type benchRooflineFlags struct {
	timingFlags
	formats   []string
	intensity []int
	threads   []int
	size      memorySize
	figure    string
	bandwidth bool
}

const benchRooflineLong = `Measure performance over arithmetic intensity for every storage format.

An array much larger than the cache is read in a storage format and converted to the precision of the arithmetic. Then
each value goes through some multiply-adds, two FLOPs each. The time includes the conversions, which do not count as
FLOPs. FP64 and FP32 need no conversion; FP64-over-FP32 and all other formats compute in FP64. Formats of fewer bytes are
faster as long as the bandwidth of memory is the limit.`

func newBenchRoofline(s streams) *cobra.Command {
	var f benchRooflineFlags
	var names []string
	for _, c := range lab.RooflineConfigs() {
		names = append(names, c.Name)
	}
	c := &cobra.Command{
		Use: "roofline", Short: "Measure performance over arithmetic intensity", Long: benchRooflineLong,
		Example: "  mpsolve bench roofline --formats FP64,FP32,FP64-over-FP32 --figure roofline.svg\n" +
			"  mpsolve bench roofline --threads 1 --time 1m --json",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("bench roofline takes no files, got %q", args[0])
			}
			return f.run(c.Context(), s)
		},
	}
	fl := c.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.formats, "formats", nil, "list of "+strings.Join(names, ", ")+" (default all)")
	fl.IntSliceVar(&f.intensity, "intensity", lab.Intensities(), "list of FLOPs per value, even numbers")
	fl.IntSliceVar(&f.threads, "threads", nil, "list of numbers of threads (default 1 and all processors)")
	fl.Var(&f.size, "size", "size of the array, such as 1GB (default four times the last-level cache)")
	fl.BoolVar(&f.bandwidth, "bandwidth", true, "measure the memory bandwidth first")
	fl.StringVar(&f.figure, "figure", "", "`file` for a figure, .svg or .png")
	f.timingFlags.add(fl, 3, "number of rounds", "")
	completeWords(c, "formats", names)
	return c
}

func (f *benchRooflineFlags) run(ctx context.Context, s streams) error {
	on := environment()
	opt, err := f.check(on.LLCBytes)
	if err != nil {
		return err
	}
	status := newStatusLine(s.err)
	defer status.done()
	opt.Progress = func(text string) { status.show(func(int) string { return text }) }
	var memory map[int]lab.Bandwidth
	if f.bandwidth {
		opt.Progress("measuring the memory bandwidth")
		if memory, err = lab.MeasureBandwidth(ctx, opt.Size, opt.Threads); err != nil {
			return err
		}
	}
	points, err := lab.Roofline(ctx, opt)
	if err != nil {
		return err
	}
	roofs := map[int]lab.Roof{}
	for _, threads := range opt.Threads {
		roofs[threads] = lab.RoofOf(points, threads, memory[threads].Read)
	}
	from := "memory"
	if opt.Size < on.LLCBytes {
		from = "cache"
	}
	out := &firstError{w: s.out}
	if f.json {
		out.keep(report.RooflineJSON(out, on, roofs, points))
	} else {
		report.OnMachine(out, on)
		for _, threads := range opt.Threads {
			report.Roofline(out, threads, from, roofs[threads], opt.Intensities, points)
		}
	}
	if out.err != nil {
		return fmt.Errorf("writing: %w", out.err)
	}
	if f.figure == "" {
		return nil
	}
	threads := slices.Max(opt.Threads)
	g := rooflineFigure(points, threads, from, roofs[threads])
	return writeFile(ctx, f.figure, func(w io.Writer) error { return g.Write(w, f.figureFormat()) })
}

// figureFormat returns the format of the figure, by the ending of its name.
func (f *benchRooflineFlags) figureFormat() string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(f.figure)), ".")
}

// A figure has at most mostLines lines, since more cannot be told apart. Of more configurations it shows the preferred ones,
// or if these are not among them, the first ones.
const mostLines = 8

var preferred = []string{lab.FP64, lab.FP32, lab.FP64OverFP32, "RP48", "RP16", "RPRE24", "AFX24", "AFX8"}

// lines returns the configurations to draw.
func lines(points []lab.RooflinePoint) []string {
	names := lab.ConfigsOf(points)
	if len(names) <= mostLines {
		return names
	}
	some := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(preferred, name) })
	if len(some) == 0 {
		return names[:mostLines]
	}
	return some
}

// rooflineFigure draws performance over arithmetic intensity on a number of threads, below the ceilings of memory and arithmetic
// (S. Williams, A. Waterman, D. Patterson. Roofline: an insightful visual performance model for multicore architectures. CACM 52(4), 2009).
func rooflineFigure(points []lab.RooflinePoint, threads int, from string, roof lab.Roof) *records.Chart {
	g := &records.Chart{Kind: records.Lines, X: records.ChartAxis{Text: "FLOP per byte", Log: true}}
	panel := g.AddPanel(records.Panel{Title: fmt.Sprintf("Roofline, threads: %d", threads), Y: records.ChartAxis{Text: "GFLOP/s", Log: true}})
	shown := lines(points)
	left, right, most := math.Inf(1), 0.0, 0.0
	for _, p := range points {
		if x := p.FLOPPerByte(); p.Threads == threads && slices.Contains(shown, p.Config) {
			left, right = min(left, x), max(right, x)
			g.Add(panel, p.Config, x, p.GFLOPS)
		}
	}
	for e := math.Ceil(math.Log2(left)); e <= math.Log2(right); e++ {
		g.Tick(math.Exp2(e), strconv.FormatFloat(math.Exp2(e), 'g', -1, 64))
	}
	for _, name := range slices.Sorted(maps.Keys(roof.GFLOPS)) {
		peak := roof.GFLOPS[name]
		most = max(most, peak)
		panel.Guides = append(panel.Guides, records.Guide{
			Name: fmt.Sprintf("%s, %.0f GFLOP/s", name, peak), From: [2]float64{min(max(left, peak/roof.GBps), right), peak}, To: [2]float64{right, peak}, AtEnd: true,
		})
	}
	if end := min(right, most/roof.GBps); end > left {
		panel.Guides = append(panel.Guides, records.Guide{
			Name: fmt.Sprintf("%s, %.0f GB/s", from, roof.GBps), From: [2]float64{left, left * roof.GBps}, To: [2]float64{end, end * roof.GBps},
		})
	}
	return g
}

// check turns flags into options. It finds every fault before any work.
func (f *benchRooflineFlags) check(cache int64) (opt lab.RooflineOptions, err error) {
	opt = lab.RooflineOptions{Intensities: f.intensity, Size: int64(f.size), Repeat: f.repeat, Budget: f.budget}
	if opt.Threads, err = threadCounts(f.threads); err != nil {
		return opt, err
	}
	memory := host.Memory()
	if opt.Size == 0 {
		opt.Size = lab.ArrayBytes(cache, memory)
	}
	for _, i := range f.intensity {
		if i < 2 || i%2 != 0 {
			return opt, usage("--intensity %d: want an even number, at least 2", i)
		}
	}
	if err := f.timingFlags.check(); err != nil {
		return opt, err
	}
	switch {
	case memory > 0 && opt.Size > memory:
		return opt, usage("--size %s: the machine has less memory", f.size.String())
	case f.figure != "" && !slices.Contains(records.Formats, f.figureFormat()):
		return opt, usage("--figure %s: want a name that ends with .%s", f.figure, strings.Join(records.Formats, " or ."))
	}
	if err := checkOutput("figure", f.figure); err != nil {
		return opt, err
	}
	opt.Configs = lab.RooflineConfigs()
	if len(f.formats) > 0 {
		opt.Configs = nil
	}
	for _, name := range f.formats {
		c, err := lab.FindRoofline(name)
		if err != nil {
			return opt, usage("--formats: %v", err)
		}
		opt.Configs = append(opt.Configs, c)
	}
	return opt, nil
}
