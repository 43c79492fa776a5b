package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"github.com/mpsolve/mpsolve"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// heatMain solves for a plate whose conductivity depends on its temperature, in time:
//
//	u_t = div(k(u) grad u),  k(u) = 1 + c u,  u = 0 at the edge,
//
// by implicit Euler steps with the conductivity of the step before. The matrices of all steps have the same pattern, so that
// one solver solves all steps, with Update between them.
//
//	go run ./examples/sequence heat
func heatMain() {
	var p plate
	flag.IntVar(&p.n, "n", 60, "points of the plate in each direction")
	flag.Float64Var(&p.dt, "dt", 2e-3, "time step")
	flag.Float64Var(&p.c, "c", 2, "growth of the conductivity with the temperature")
	steps := flag.Int("steps", 10, "number of steps")
	flag.Parse()
	if err := p.run(context.Background(), os.Stdout, *steps); err != nil {
		log.Fatal(err)
	}
}

// plate is the unit square with n x n points inside.
type plate struct {
	n     int
	dt, c float64
	u     []float64 // temperatures
}

// run computes steps from the first mode, which would keep its shape if the conductivity were constant.
func (p *plate) run(ctx context.Context, out io.Writer, steps int) error {
	h := 1 / float64(p.n+1)
	for k := range p.n * p.n {
		x, y := float64(k%p.n+1)*h, float64(k/p.n+1)*h
		p.u = append(p.u, math.Sin(math.Pi*x)*math.Sin(math.Pi*y))
	}
	m, err := p.matrix()
	if err != nil {
		return err
	}
	s, err := mpsolve.New(ctx, m, solve.Options{Updates: true})
	if err != nil {
		return err
	}
	defer s.Close()
	for step := range steps {
		if step > 0 {
			if m, err = p.matrix(); err != nil {
				return err
			}
			if err := s.UpdateMatrix(ctx, m); err != nil {
				return err
			}
		}
		r, err := s.Solve(ctx, p.u, p.u)
		if err != nil {
			return err
		}
		if !r.Reason.Converged() {
			return fmt.Errorf("step %d: %v", step+1, r.Reason)
		}
		p.u = r.X
		fmt.Fprintf(out, "t = %.4f: hottest %.4f, %d iterations, set up in %.1f ms\n",
			float64(step+1)*p.dt, p.u[len(p.u)/2+p.n/2*(1-p.n%2)], r.Iterations, 1e3*s.Setup().Seconds())
	}
	return nil
}

// matrix returns the matrix of a step, I + dt A(u), in which neighbours exchange heat by the mean of their conductivities.
func (p *plate) matrix() (*csr.Matrix, error) {
	b, err := csr.NewBuilder(p.n*p.n, p.n*p.n)
	if err != nil {
		return nil, err
	}
	f := p.dt * float64((p.n+1)*(p.n+1))
	add := func(i, j int, v float64) {
		if e := b.Add(i, j, v); e != nil {
			err = e
		}
	}
	for i := range p.n * p.n {
		add(i, i, 1)
		for _, to := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			x, y := i%p.n+to[0], i/p.n+to[1]
			outside := x < 0 || y < 0 || x == p.n || y == p.n
			u := p.u[i] / 2
			if !outside {
				u += p.u[y*p.n+x] / 2
			}
			k := f * (1 + p.c*u)
			add(i, i, k)
			if !outside {
				add(i, y*p.n+x, -k)
			}
		}
	}
	return b.Build(), err
}
