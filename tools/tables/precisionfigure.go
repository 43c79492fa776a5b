package main

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
)

// draw plots the bytes of an element over its magnitude, for epsilon = 2^-53.
func draw(path string) error {
	p := plot.New()
	p.Title.Text = "Bytes that an element takes (ε = 2^-53, NW)"
	p.X.Label.Text = "log2( |a| / ||A|| )"
	p.Y.Label.Text = "bytes"
	p.Y.Min, p.Y.Max = 0, 9
	p.Legend.Top, p.Legend.Left = true, true
	for k, line := range []struct {
		set   string
		color color.Color
	}{
		{"FP64", color.Gray{140}},
		{"AP7", color.RGBA{R: 31, G: 119, B: 180, A: 255}},
		{"AP7RE", color.RGBA{R: 255, G: 127, B: 14, A: 255}},
		{"AFX", color.RGBA{R: 44, G: 160, B: 44, A: 255}},
	} {
		points, err := staircase(line.set)
		if err != nil {
			return err
		}
		for i := range points {
			points[i].Y += 0.04 * float64(k) // to tell equal lines apart
		}
		l, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		l.Color, l.Width = line.color, vg.Points(1.5)
		p.Add(l)
		p.Legend.Add(line.set, l)
	}
	p.Add(plotter.NewGrid())
	if err := p.Save(16*vg.Centimeter, 9*vg.Centimeter, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// staircase returns the bytes that the partition assigns to an element a beside 1 - a
// in a row of norm 1, by log2 a.
func staircase(name string) (plotter.XYs, error) {
	set, err := adaptive.LookupSet(name)
	if err != nil {
		return nil, err
	}
	pool := linop.NewPool(1)
	defer pool.Close()
	m := &csr.Matrix{Rows: 1, Cols: 2, RowPtr: []int64{0, 2}, Col: []int32{0, 1}, Val: make([]float64, 2)}
	bytes := func(values ...float64) (int, error) {
		copy(m.Val, values)
		stats, err := adaptive.Predict(m, adaptive.Spec{Set: set, Epsilon: 0x1p-53}, pool)
		return valueBytes(stats), err
	}
	var points plotter.XYs
	for x := -60.0; x <= -0.05; x += 0.1 {
		a := math.Exp2(x)
		both, err := bytes(1-a, a)
		if err != nil {
			return nil, err
		}
		one, err := bytes(1-a, 0)
		if err != nil {
			return nil, err
		}
		points = append(points, plotter.XY{X: x, Y: float64(both - one)})
	}
	return points, nil
}

// valueBytes returns the bytes of the values alone.
func valueBytes(s adaptive.Stats) int {
	n := 0
	for _, f := range s.Formats {
		n += f.Count * f.Format.Bytes
	}
	return n
}
