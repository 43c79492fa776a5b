// Tables measures with the test matrices and writes tables into the documentation:
//
//	tables [flags] matrices    every matrix through mpsolve solve: docs/matrices.md
//	tables [flags] solvers     what preconditioners gain: docs/solvers.md
//	tables [flags] precision   storage in adaptive precision: docs/precision-formats.md
//	tables rule                the figure of docs/precision.md, and its numbers on standard output
//	tables layouts             speeds of layouts, from JSON on standard input to JSON on
//	                           standard output: pkg/adaptive/testdata/layouts.jsonl
//
// The Makefile has a target for each. The folder of matrices holds INDEX.tsv with
// columns name, file, field and shape.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// options are the flags.
type options struct {
	dir    string
	only   string // name of the one matrix to measure; "": all
	page   string // to write into
	part   string // of the page; "": all
	figure string // to write
	record string // file of what vectors and defaults have measured; "": none
	limit  time.Duration
	budget time.Duration // of vectors and defaults; 0: any time

	threads   int  // of defaults; 0: all
	processor bool // defaults are timed by the processors' time
}

// tables are the arguments, each with the defaults of its flags.
var tables = map[string]struct {
	page  string
	limit time.Duration
	write func(options) error
}{
	"matrices":  {"docs/matrices.md", 5 * time.Minute, writeMatrices},
	"solvers":   {"docs/solvers.md", 2 * time.Minute, writeSolvers},
	"precision": {"docs/precision-formats.md", 0, writePrecision},
	"rule":      {"docs/precision.md", 0, writeRule},
	"layouts":   {"", 0, func(options) error { return writeLayouts(os.Stdin, os.Stdout) }},
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "../shared/matrices", "`folder` with the matrices and INDEX.tsv")
	flag.StringVar(&o.only, "only", "", "`name` of the one matrix to measure; empty: all")
	flag.StringVar(&o.page, "page", "", "`file` to write into instead of the page of the table")
	flag.StringVar(&o.part, "part", "", "`table` of solvers: matrices, kinds, growth, precision, large, vectors, defaults or \"vectors alone\"; empty: all")
	flag.StringVar(&o.figure, "figure", "docs/precision-formats.svg", "`file` of the figure of precision")
	flag.DurationVar(&o.limit, "limit", 0, "time limit of a solve; 0: 5m for matrices, 2m for solvers")
	flag.StringVar(&o.record, "record", "", "`file` of JSON lines that vectors and defaults put each matrix into, and do not measure those in it again")
	flag.DurationVar(&o.budget, "budget", 0, "vectors and defaults begin no matrix after so long; 0: no limit")
	flag.IntVar(&o.threads, "threads", 0, "threads of defaults; 0: all processors")
	flag.BoolVar(&o.processor, "processor-time", false, "defaults are timed by the processors' time of the process, on a machine that others use")
	flag.Parse()
	t, ok := tables[flag.Arg(0)]
	err := errors.New("want one of matrices, solvers, precision, rule, layouts")
	if ok && flag.NArg() == 1 {
		o.page, o.limit = cmp.Or(o.page, t.page), cmp.Or(o.limit, t.limit)
		err = t.write(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}
