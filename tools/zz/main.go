package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	th, _ := strconv.Atoi(os.Args[2])
	for _, name := range os.Args[3:] {
		m, _, err := collection.Named("/tmp/h2/tune/shared/matrices", name).Read(context.Background(), matrixmarket.Options{})
		if err != nil {
			panic(err)
		}
		b, _ := generate.DefaultRHS(m)
		opts := []struct {
			n string
			o solve.Options
		}{
			{"default", solve.Options{}},
			{"cg chol", solve.Options{Method: solve.CG, Precond: solve.Precond{Kind: precond.Cholesky}}},
			{"gmres lu", solve.Options{Method: solve.GMRES, Precond: solve.Precond{Kind: precond.LU}}},
			{"bicgstab lu", solve.Options{Method: solve.BiCGStab, Precond: solve.Precond{Kind: precond.LU}}},
			{"gmres ilut", solve.Options{Method: solve.GMRES, Precond: solve.Precond{Kind: precond.ILUT}}},
		}
		type res struct{ total, set, digits, verify []float64 }
		all := make([]res, len(opts))
		its := make([]int, len(opts))
		if p := os.Getenv("PROF"); p != "" {
			f, _ := os.Create(p)
			pprof.StartCPUProfile(f)
			opts = opts[:1]
			if os.Getenv("WHICH") != "" { k, _ := strconv.Atoi(os.Getenv("WHICH")); opts = opts[:0:0]; _ = k }
		}
		for range n {
			runtime.GC()
			for k, o := range opts {
				o.o.Threads = th
				start := time.Now()
				s, err := solve.New(context.Background(), m, o.o)
				if err != nil {
					continue
				}
				r, err := s.Solve(context.Background(), b, nil)
				t := time.Since(start)
				set := s.Setup
				s.Close()
				if err != nil || !r.Reason.Converged() {
					continue
				}
				its[k] = r.Iterations
				all[k].total = append(all[k].total, t.Seconds())
				all[k].set = append(all[k].set, set.Seconds())
				all[k].digits = append(all[k].digits, r.Time.Digits.Seconds())
				all[k].verify = append(all[k].verify, r.Time.Verify.Seconds())
			}
		}
		pprof.StopCPUProfile()
		for k, o := range opts {
			if len(all[k].total) == 0 {
				continue
			}
			fmt.Printf("%-20s %-12s it %4d  min %8.3f ms  (New %8.3f, digits %8.3f, verify %8.3f)\n", name, o.n, its[k], 1e3*slices.Min(all[k].total), 1e3*slices.Min(all[k].set), 1e3*slices.Min(all[k].digits), 1e3*slices.Min(all[k].verify))
		}
	}
}
