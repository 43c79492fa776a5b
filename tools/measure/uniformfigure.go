package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// uniformFigureMain draws time and memory of solves in uniform FP64 relative to those of default solves, by the size of the matrix.
// bench/uniform.sh measures them.
func uniformFigureMain() {
	data := flag.String("data", "bench/uniform.tsv", "`file` with what bench/uniform.sh has measured")
	output := flag.String("output", "docs/uniform.svg", "`file` for the figure")
	flag.Parse()
	if err := drawUniform(*data, *output); err != nil {
		fmt.Fprintln(os.Stderr, "uniformfigure:", err)
		os.Exit(1)
	}
}

// sizes are the classes of matrices in the figure, by their largest number of nonzeros.
var sizes = []struct {
	most float64
	name string
}{{1e4, "to 10,000 nonzeros"}, {1e5, "to 100,000"}, {1e6, "to 1 million"}, {1e18, "more"}}

func drawUniform(data, output string) error {
	rows, err := readTable(data)
	if err != nil {
		return err
	}
	g := &records.Chart{Kind: records.Points}
	p := g.AddPanel(records.Panel{Y: records.ChartAxis{Text: "uniform FP64 / default"}, Level: 1})
	for _, s := range sizes {
		g.Category(s.name)
	}
	for _, row := range rows {
		switch {
		case len(row) != 6:
			return fmt.Errorf("%s: want 6 fields, got %d", data, len(row))
		case row[0] == "matrix", row[0] == "geometric mean":
			continue
		}
		var v [5]float64 // nonzeros, seconds, seconds in FP64, MB, MB in FP64
		for k := range v {
			if v[k], err = strconv.ParseFloat(row[1+k], 64); err != nil {
				return fmt.Errorf("%s: %s: %w", data, row[0], err)
			}
		}
		size := 0
		for v[0] > sizes[size].most {
			size++
		}
		g.Add(p, "time, from file to x", float64(size), v[2]/v[1])
		g.Add(p, "peak of memory", float64(size), v[4]/v[3])
	}
	return host.Write(output, func(w io.Writer) error { return g.Write(w, records.SVG) })
}
