package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// forecastMain compares forecasts of complete factors with what they take: of files, and of matrices such as poisson3d,n=40.
func forecastMain() {
	threads := flag.Int("threads", 1, "threads; for one, seconds are of the processor, so that others on the machine disturb them little")
	fp64 := flag.Bool("fp64", false, "factors in FP64")
	flag.Parse()
	fmt.Println("| matrix | factors | rows | entries | multiplications | MB: forecast | taken | seconds of factors: forecast | taken | ratio | of a solve: forecast | taken | ratio |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	var factors, solves []float64
	for _, name := range flag.Args() {
		f, s, err := compareForecast(name, *threads, *fp64, "")
		if errors.Is(err, precond.ErrNotDefinite) {
			f, s, err = compareForecast(name, *threads, *fp64, precond.LU)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "forecast: %s: %v\n", name, err)
			continue
		}
		factors, solves = append(factors, f), append(solves, s)
	}
	for k, ratios := range [][]float64{factors, solves} {
		within, logs := 0, 0.0
		for _, r := range ratios {
			logs += math.Log(r) / float64(len(ratios))
			if math.Abs(r-1) <= 0.25 {
				within++
			}
		}
		fmt.Printf("\n%s: %d of %d forecasts within 25 %%, between %.2f and %.2f of what is taken, %.2f in the geometric mean\n", [2]string{"factors", "solves"}[k], within, len(ratios), slices.Min(ratios), slices.Max(ratios), math.Exp(logs))
	}
}

// compareForecast prints the row of a matrix, in FP64 where factors in FP32 do not suffice, and returns the ratios of forecast and taken seconds. The order is kept, and so not in them.
func compareForecast(name string, threads int, fp64 bool, kind precond.Kind) (factors, solves float64, err error) {
	ctx := context.Background()
	m, err := forecastMatrix(ctx, name)
	if err != nil {
		return 0, 0, err
	}
	pool := parallel.New(threads)
	defer pool.Close()
	facts := csr.Examine(m, pool)
	if kind == "" && facts.Symmetric && facts.DiagonalSign() > 0 {
		kind = precond.Cholesky
	}
	kind = cmp.Or(kind, precond.LU)
	opt := precond.Options{Symmetric: facts.Symmetric, Kept: new(precond.Kept)}
	if fp64 {
		opt.Epsilon = adaptive.MinEpsilon
	}
	f, err := precond.ForecastComplete(ctx, kind, m, opt, pool)
	if err != nil {
		return 0, 0, err
	}
	if f.Rows {
		return 0, 0, fmt.Errorf("LU by rows has no forecast")
	}
	clock := func() time.Duration { return time.Duration(time.Now().UnixNano()) }
	if threads == 1 {
		clock = processorTime
	}
	x, text := make([]float64, m.Rows), ""
	most, begin := int64(0), clock()
	opt.Needs = func(bytes int64) { most = max(most, bytes) }
	opt.Stage = func(text string) {
		if strings.HasPrefix(text, "factors") {
			begin = clock()
		}
	}
	made, applied := time.Hour, time.Hour
	for range 3 {
		runtime.GC()
		p, err := precond.New(ctx, kind, m, opt, pool)
		if err != nil {
			return 0, 0, err
		}
		if f.Precision == "FP32" && strings.Contains(fmt.Sprint(p), "FP64") { // which is known when the others are made
			return compareForecast(name, threads, true, kind)
		}
		made, text = min(made, clock()-begin), fmt.Sprint(p)
		for range 3 {
			begin = clock()
			p.Apply(x, x)
			applied = min(applied, clock()-begin)
		}
	}
	factors, solves = f.Factoring/made.Seconds(), f.Solving/applied.Seconds()
	fmt.Printf("| %s | %v | %d | %.2e | %.2e | %.1f | %.1f | %.3f | %.3f | %.2f | %.4f | %.4f | %.2f |\n", filepath.Base(strings.TrimSuffix(name, "/A.mtx")), text, m.Rows, float64(f.Entries), f.Multiplications,
		float64(f.Making)/1e6, float64(most)/1e6, f.Factoring, made.Seconds(), factors, f.Solving, applied.Seconds(), solves)
	return factors, solves, nil
}

// forecastMatrix reads a file, or generates the matrix of a kind.
func forecastMatrix(ctx context.Context, name string) (*csr.Matrix, error) {
	if strings.Contains(name, ".mtx") {
		return matrixio.ReadFile(ctx, name)
	}
	parts, p := strings.Split(name, ","), generate.Params{}
	for _, part := range parts[1:] {
		key, value, _ := strings.Cut(part, "=")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, err
		}
		p[key] = v
	}
	return generate.Generate(parts[0], p)
}
