package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/james-bowman/sparse"

	"github.com/mpsolve/mpsolve"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// circuitMain computes the output of a digital-to-analogue converter of resistors, an R-2R ladder, by modified nodal analysis:
// the unknowns are the voltages of the nodes and the currents of the sources. The matrix is assembled with
// github.com/james-bowman/sparse, stamp by stamp. Each code is a right-hand side; the solver solves for all of them together.
//
//	go run ./examples/sequence circuit -bits 6
func circuitMain() {
	bits := flag.Int("bits", 4, "bits of the converter")
	flag.Parse()
	volts, err := convert(context.Background(), *bits)
	if err != nil {
		log.Fatal(err)
	}
	for code, v := range volts {
		fmt.Fprintf(os.Stdout, "%0*b  %.6f V\n", *bits, code, v)
	}
}

const (
	r      = 10e3 // ohm
	supply = 1.0  // volt of a bit that is set
)

// convert returns the voltage at the output for each code.
//
// Node k of the ladder belongs to bit k, and bit 0 is the least. Resistors connect the node to the source of the bit (2R) and to
// node k+1 (R), and node 0 also to ground (2R). Unknowns are the voltages of the nodes of the ladder, the voltages of the nodes
// of the sources, and the currents of the sources.
func convert(ctx context.Context, bits int) (volts []float64, err error) {
	ladder := func(k int) int { return k }
	input := func(k int) int { return bits + k }
	current := func(k int) int { return 2*bits + k }
	a := sparse.NewDOK(3*bits, 3*bits)
	add := func(i, j int, v float64) { a.Set(i, j, a.At(i, j)+v) }
	resistor := func(i, j int, ohm float64) {
		add(i, i, 1/ohm)
		add(j, j, 1/ohm)
		add(i, j, -1/ohm)
		add(j, i, -1/ohm)
	}
	add(ladder(0), ladder(0), 1/(2*r)) // to ground
	for k := range bits {
		resistor(ladder(k), input(k), 2*r)
		if k > 0 {
			resistor(ladder(k-1), ladder(k), r)
		}
		add(input(k), current(k), 1) // the current of the source enters its node
		add(current(k), input(k), 1) // the source sets the voltage of its node
	}
	m, err := csr.FromSparse(a.ToCSR())
	if err != nil {
		return nil, err
	}
	s, err := mpsolve.New(ctx, m, solve.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	b := make([][]float64, 1<<bits)
	for code := range b {
		b[code] = make([]float64, 3*bits)
		for k := range bits {
			if code>>k&1 == 1 {
				b[code][current(k)] = supply
			}
		}
	}
	results, err := s.SolveMany(ctx, b, nil)
	if err != nil {
		return nil, err
	}
	for code, result := range results {
		if !result.Reason.Converged() {
			return nil, fmt.Errorf("code %d: %v", code, result.Reason)
		}
		volts = append(volts, result.X[ladder(bits-1)])
	}
	return volts, nil
}
