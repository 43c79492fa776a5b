package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// readmeFigureMain draws time and memory of solves of real matrices, by mpsolve and by its peers, for the README. bench/peers/solve.sh --part figure
// measures them.
func readmeFigureMain() {
	data := flag.String("data", "bench/peers/readme.tsv", "`file` with what bench/peers/solve.sh --part figure has measured")
	output := flag.String("output", "docs/readme.svg", "`file` for the figure")
	flag.Parse()
	if err := drawReadme(*data, *output); err != nil {
		fmt.Fprintln(os.Stderr, "readmefigure:", err)
		os.Exit(1)
	}
}

// readTable returns the lines of a file, whose fields tabs separate.
func readTable(name string) ([][]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.FieldsPerRecord = '\t', -1
	return r.ReadAll()
}

func drawReadme(data, output string) error {
	rows, err := readTable(data)
	if err != nil {
		return err
	}
	g := &records.Chart{Kind: records.Points}
	seconds := g.AddPanel(records.Panel{Y: records.ChartAxis{Text: "seconds, set-up and solve", Log: true}})
	memory := g.AddPanel(records.Panel{Y: records.ChartAxis{Text: "megabytes, peak of the process", Log: true}})
	for _, row := range rows {
		switch {
		case len(row) == 1:
			g.Note = "row-wise backward error 1e-10, b = A x for a random x; mpsolve by default, the others by the fastest of their ways; " + row[0]
			continue
		case len(row) != 7:
			return fmt.Errorf("%s: want 7 fields, got %d", data, len(row))
		case row[0] == "matrix":
			continue
		}
		t, err := strconv.ParseFloat(row[5], 64)
		if err != nil {
			return fmt.Errorf("%s: %w", data, err)
		}
		bytes, err := strconv.ParseFloat(row[6], 64)
		if err != nil {
			return fmt.Errorf("%s: %w", data, err)
		}
		x := g.Category(row[0])
		g.Add(seconds, row[3], x, t)
		g.Add(memory, row[3], x, bytes/1e6)
	}
	return host.Write(output, func(w io.Writer) error { return g.Write(w, records.SVG) })
}
