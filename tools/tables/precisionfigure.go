package main

import (
	"io"
	"math"

	"github.com/mpsolve/mpsolve/internal/atomicfile"
	"github.com/mpsolve/mpsolve/internal/figure"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// draw draws the bytes of an element a over its magnitude, for epsilon = 2^-53: those
// that are added to a row of norm 1 with an element 1 - a.
func draw(path string) error {
	pool := parallel.New(1)
	defer pool.Close()
	g := figure.Figure{Kind: figure.History, X: figure.Axis{Text: "log2( |a| / ||A|| )"}}
	panel := g.AddPanel(figure.Panel{Title: "Bytes that an element takes (ε = 2^-53, NW)", Y: figure.Axis{Text: "bytes"}})
	m := &csr.Matrix{Rows: 1, Cols: 2, RowPtr: []int64{0, 2}, Col: []int32{0, 1}, Val: make([]float64, 2)}
	for k, name := range []string{"FP64", "AP7", "AP7RE", "AFX"} {
		set, err := adaptive.LookupSet(name)
		if err != nil {
			return err
		}
		for x := -60.0; x <= -0.05; x += 0.1 {
			bytes := 0.04 * float64(k) // to tell equal lines apart
			for _, a := range []float64{math.Exp2(x), 0} {
				m.Val[0], m.Val[1] = 1-math.Exp2(x), a
				stats, err := adaptive.Predict(m, adaptive.Spec{Set: set, Epsilon: 0x1p-53}, pool)
				if err != nil {
					return err
				}
				for _, f := range stats.Formats {
					if taken := float64(f.Count * f.Format.Bytes); a != 0 {
						bytes += taken
					} else {
						bytes -= taken
					}
				}
			}
			g.Add(panel, name, x, bytes)
		}
	}
	return atomicfile.Write(path, func(w io.Writer) error { return g.Write(w, figure.SVG) })
}
