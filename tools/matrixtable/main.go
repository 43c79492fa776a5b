// Matrixtable solves every real square matrix of a folder with the default
// flags of `mpsolve solve`, checks each x with code of its own in long
// arithmetic, and writes a table.
//
// The folder holds INDEX.tsv with columns name, file, field and shape.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/mpsolve/mpsolve/internal/cli"
	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/internal/report"
)

// solved is a row of the table.
type solved struct {
	name   string
	report report.Report
	etaRow float64 // by checkRow
}

// falsely reports whether convergence was claimed but is not so.
func (s solved) falsely() bool { return s.report.Converged && !(s.etaRow <= s.report.Tolerance) }

func main() {
	dir := flag.String("dir", "../shared/matrices", "folder with the matrices and INDEX.tsv")
	out := flag.String("out", "docs/matrices.md", "file to write")
	maxTime := flag.Duration("max-time", 300*time.Second, "time limit for each matrix")
	only := flag.String("only", "", "the name of the one matrix to solve; empty: all")
	flag.Parse()
	if err := run(*dir, *out, *only, *maxTime); err != nil {
		fmt.Fprintln(os.Stderr, "matrixtable:", err)
		os.Exit(1)
	}
}

func run(dir, out, only string, maxTime time.Duration) error {
	files, err := collection.RealSquare(dir)
	if err != nil {
		return err
	}
	var rows []solved
	for _, f := range files {
		if only != "" && f.Name != only {
			continue
		}
		s, err := solveDefault(f.Name, f.Path, maxTime)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		fmt.Fprintf(os.Stderr, "%-34s %-8s %-20s %.1e %8.2f s\n",
			s.name, s.report.Method, s.report.Reason, s.etaRow, s.report.Seconds.Total)
		rows = append(rows, s)
	}
	text := page(rows, maxTime)
	if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
		return err
	}
	for _, s := range rows {
		if s.falsely() {
			err = errors.Join(err, fmt.Errorf("%s: converged is claimed, but the row-wise error is %g", s.name, s.etaRow))
		}
	}
	return err
}

// solveDefault runs `mpsolve solve` on a file and checks its x.
func solveDefault(name, path string, maxTime time.Duration) (solved, error) {
	x, err := os.CreateTemp("", "x-*.mtx")
	if err != nil {
		return solved{}, err
	}
	defer os.Remove(x.Name())
	if err := x.Close(); err != nil {
		return solved{}, err
	}
	var out, errOut bytes.Buffer
	code := cli.Main([]string{"solve", path, "--json", "--output", x.Name(), "--max-time", maxTime.String()}, nil, &out, &errOut)
	s := solved{name: name}
	if err := json.Unmarshal(out.Bytes(), &s.report); err != nil {
		return s, fmt.Errorf("exit code %d, %s", code, errOut.String())
	}
	s.etaRow, err = checkRow(path, x.Name())
	return s, err
}
