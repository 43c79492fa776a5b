// Command measure runs the solver for the documentation and writes the measurements into the pages.
//
//	go run ./tools/measure agata             simulates a germanium detector, or searches in its signals
//	go run ./tools/measure digits            compares the digits that solves claim with the correct ones
//	go run ./tools/measure digitsfigure      draws the digits of x over time, for docs/digits.md
//	go run ./tools/measure forecast          compares forecasts of complete factors with what they take
//	go run ./tools/measure gputable          writes measurements on GPUs into docs/gpu.md
//	go run ./tools/measure multigrid         compares variants of multigrid
//	go run ./tools/measure arithmetic        measures the arithmetic of internal/mp
//	go run ./tools/measure latency           writes models of what spares latency between ranks into docs/scaling.md
//	go run ./tools/measure precisedigits     checks solutions of many digits
//	go run ./tools/measure readmefigure      draws time and memory beside other programs, for the README
//	go run ./tools/measure reproductionpage  writes measurements of papers' experiments into docs/reproduction-results.md
//	go run ./tools/measure stress            attacks the solver with thousands of systems
//	go run ./tools/measure tables            writes tables of the test matrices into the documentation
//	go run ./tools/measure uniformfigure     draws time and memory beside uniform FP64, for the README
//	go run ./tools/measure volume            writes the model of what ranks send into docs/mpi.md
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// commands maps the first argument to the command, which takes the flags after its name.
var commands = map[string]func(){
	"agata":            agataMain,
	"arithmetic":       arithmeticMain,
	"multigrid":        multigridMain,
	"digits":           digitsMain,
	"forecast":         forecastMain,
	"digitsfigure":     digitsFigureMain,
	"gputable":         gputableMain,
	"latency":          latencyMain,
	"precisedigits":    preciseDigitsMain,
	"readmefigure":     readmeFigureMain,
	"reproductionpage": reproductionPageMain,
	"stress":           stressMain,
	"tables":           tablesMain,
	"uniformfigure":    uniformFigureMain,
	"volume":           volumeMain,
}

func main() {
	if len(os.Args) > 1 && commands[os.Args[1]] != nil {
		program := commands[os.Args[1]]
		os.Args = append(os.Args[:1], os.Args[2:]...)
		program()
		return
	}
	fmt.Fprintln(os.Stderr, "want one of", strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
	os.Exit(2)
}
