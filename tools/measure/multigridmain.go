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
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// ablation lists the variants of docs/solvers.md.
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
