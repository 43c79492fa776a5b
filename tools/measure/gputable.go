package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

const (
	gputableBegin = "<!-- results: make gpu-table -->"
	gputableEnd   = "<!-- end of results -->"
)

// gputableMain converts the results of bench/gpu/run.sh to the tables of docs/gpu.md, with verdicts against the
// goals: see `make gpu-table`. With -counts it writes the table of what products execute, from
// pkg/gpu/testdata/ratchet.txt, as `go generate ./pkg/gpu` does.
func gputableMain() {
	results := flag.String("results", "gpu-results", "`folder` that run.sh wrote")
	path := flag.String("page", "", "`file` to put the tables into; standard output if not given")
	file := flag.String("counts", "", "`file` of counts to put into the page instead")
	flag.Parse()
	err := error(nil)
	if *file != "" {
		err = gputableCounts(*file, *path)
	} else {
		err = runGPUTable(*results, *path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gputable:", err)
		os.Exit(1)
	}
}

func runGPUTable(results, path string) error {
	ours, err := read(filepath.Join(results, "gpu.jsonl"))
	if err != nil {
		return err
	}
	if len(ours) == 0 {
		return errors.New(results + " has no measurements")
	}
	peers, err := read(filepath.Join(results, "peers.jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := render(ours, peers)
	if path == "" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return records.ReplaceSection(path, gputableBegin, gputableEnd, text)
}

// measurement is a line of mpsolve bench gpu --json or of compare.py.
type measurement struct {
	Kind    string `json:"kind"` // product or solve
	Library string `json:"library"`
	Matrix  string `json:"matrix"`
	NNZ     int    `json:"nnz"`
	storage
	Seconds float64 `json:"seconds_min"`
	Median  float64 `json:"seconds_median"`
	GBps    float64 `json:"gbps"`
	Error   float64 `json:"error_normwise"`
	outcomeOfSolve
	machine
}

// storage is how the matrix was stored.
type storage struct {
	Layout  string  `json:"layout"`
	Formats string  `json:"formats"`
	Epsilon float64 `json:"epsilon"`
	Bytes   int64   `json:"matrix_bytes"`
}

// outcomeOfSolve is the part of a measurement that products do not have.
type outcomeOfSolve struct {
	Method     string  `json:"method"`
	Iterations int     `json:"iterations"`
	Steps      int     `json:"refinement_steps"`
	Result     string  `json:"result"`
	Residual   float64 `json:"relative_residual"`
}

// machine is the device of a measurement.
type machine struct {
	Backend string  `json:"backend"`
	Device  string  `json:"device"`
	Arch    string  `json:"architecture"`
	Copy    float64 `json:"copy_gbps"`
}

func read(path string) (list []measurement, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var m measurement
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		list = append(list, m)
	}
	return list, lines.Err()
}

// name describes how the matrix was stored.
func (m measurement) name() string {
	if m.Library != "" {
		return m.Library
	}
	if strings.HasPrefix(m.Layout, "csr") {
		return "CSR " + m.Formats
	}
	return fmt.Sprintf("%s %s, %s", m.Layout, m.Formats, power(m.Epsilon))
}

// power formats a power of two as 2^-24.
func power(epsilon float64) string {
	for e := range 64 {
		if epsilon == 1/float64(uint64(1)<<e) {
			return fmt.Sprintf("2^-%d", e)
		}
	}
	return fmt.Sprintf("%.1e", epsilon)
}

// Goals, as ratios.
const (
	csrGoal   = 0.95 // of cuSPARSE's speed, FP64 CSR
	copyGoal  = 0.85 // of the speed of copies, by the bytes moved
	solveGoal = 1.8  // times the same CG with cuSPARSE
)

// slotGoals are the speeds that products with slots should reach relative to cuSPARSE's FP64 CSR, at 2^-53, 2^-37 and
// 2^-24.
var slotGoals = map[string]map[float64]float64{
	"elasticity3d": {0x1p-53: 1.6, 0x1p-37: 2.2, 0x1p-24: 3},
	"poisson3d":    {0x1p-53: 1.3, 0x1p-37: 1.6, 0x1p-24: 2},
	"stencil27":    {0x1p-53: 1.3, 0x1p-37: 1.6, 0x1p-24: 2},
}

// generator returns the matrix without its parameters, "" if it is shuffled.
func generator(matrix string) string {
	kind, parameters, _ := strings.Cut(matrix, ",")
	if strings.Contains(parameters, "window") {
		return ""
	}
	return kind
}

// verdict compares a ratio with its goal.
func verdict(ratio, goal float64) string {
	if goal == 0 {
		return ""
	}
	word := "met"
	if ratio < goal {
		word = "**missed**"
	}
	return fmt.Sprintf("%s (%.3g)", word, goal)
}

// best returns the fastest of cuSPARSE's algorithms; 0 seconds if none was measured.
func best(peers []measurement, kind, matrix, method string) (b measurement) {
	for _, p := range peers {
		if p.Kind == kind && p.Matrix == matrix && p.Method == method &&
			strings.HasPrefix(p.Library, "cusparse") && (b.Seconds == 0 || p.Seconds < b.Seconds) {
			b = p
		}
	}
	return b
}

func render(ours, peers []measurement) string {
	var b strings.Builder
	on := ours[0]
	fmt.Fprintf(&b, "Measured on %s (%s, %s).", on.Device, on.Arch, on.Backend)
	if on.Copy > 0 {
		fmt.Fprintf(&b, " It copies at %.0f GB/s, read and written.", on.Copy)
	}
	if len(peers) == 0 {
		b.WriteString(" cuSPARSE was not there to compare with.")
	}
	b.WriteString("\n\n")
	var matrices []string
	for _, m := range ours {
		if m.Kind == "product" && !slices.Contains(matrices, m.Matrix) {
			matrices = append(matrices, m.Matrix)
		}
	}
	for _, matrix := range matrices {
		products(&b, matrix, ours, peers)
	}
	solves(&b, ours, peers)
	return b.String()
}

func of(list []measurement, kind, matrix string) (some []measurement) {
	for _, m := range list {
		if m.Kind == kind && (matrix == "" || m.Matrix == matrix) {
			some = append(some, m)
		}
	}
	return some
}

func products(b *strings.Builder, matrix string, ours, peers []measurement) {
	rows := of(ours, "product", matrix)
	cusparse := best(peers, "product", matrix, "")
	fmt.Fprintf(b, "`%s`, %.1f million nonzeros:\n\n", matrix, float64(rows[0].NNZ)/1e6)
	b.WriteString("| product | bytes/nz | ms | median | GB/s | % of copy | goal | x cuSPARSE | goal | error |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, m := range rows {
		copies, ratio, goals := "", "", [2]string{}
		goal := slotGoals[generator(matrix)][m.Epsilon]
		switch {
		case m.Layout == "csr":
			goal = csrGoal
		case m.Layout != "slots":
			goal = 0
		}
		if m.Copy > 0 {
			copies = fmt.Sprintf("%.0f", 100*m.GBps/m.Copy)
			if goal > 0 && slotGoals[generator(matrix)] != nil {
				goals[0] = verdict(m.GBps/m.Copy, copyGoal)
			}
		}
		if cusparse.Seconds > 0 {
			ratio = fmt.Sprintf("%.2f", cusparse.Seconds/m.Seconds)
			goals[1] = verdict(cusparse.Seconds/m.Seconds, goal)
		}
		fmt.Fprintf(b, "| %s | %.2f | %.3f | %.3f | %.0f | %s | %s | %s | %s | %.1e |\n", m.name(), float64(m.Bytes)/float64(m.NNZ),
			1e3*m.Seconds, 1e3*m.Median, m.GBps, copies, goals[0], ratio, goals[1], m.Error)
	}
	for _, m := range of(peers, "product", matrix) {
		fmt.Fprintf(b, "| %s | | %.3f | %.3f | %.0f | | | %.2f | | |\n", m.name(),
			1e3*m.Seconds, 1e3*m.Median, m.GBps, cusparse.Seconds/m.Seconds)
	}
	b.WriteString("\n")
}

func solves(b *strings.Builder, ours, peers []measurement) {
	rows := of(ours, "solve", "")
	if len(rows) == 0 {
		return
	}
	b.WriteString("Whole solves. The goal is for the quickest of a matrix:\n\n")
	b.WriteString("| matrix | method | with | iterations | steps | result | residual | s | x cuSPARSE | goal |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, m := range rows {
		cusparse, ratio, goal := best(peers, "solve", m.Matrix, m.Method), "", ""
		if cusparse.Seconds > 0 {
			ratio = fmt.Sprintf("%.2f", cusparse.Seconds/m.Seconds)
			if m == quickest(rows, m.Matrix, m.Method) {
				goal = verdict(cusparse.Seconds/m.Seconds, solveGoal)
			}
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %d | %d | %s | %.1e | %.3f | %s | %s |\n",
			m.Matrix, m.Method, m.name(), m.Iterations, m.Steps, m.Result, m.Residual, m.Seconds, ratio, goal)
	}
	for _, m := range of(peers, "solve", "") {
		fmt.Fprintf(b, "| `%s` | %s | %s | %d | | | %.1e | %.3f | %.2f | |\n",
			m.Matrix, m.Method, m.name(), m.Iterations, m.Residual, m.Seconds, best(peers, "solve", m.Matrix, m.Method).Seconds/m.Seconds)
	}
	b.WriteString("\n")
}

// quickest returns the fastest solve that converged.
func quickest(rows []measurement, matrix, method string) (q measurement) {
	for _, m := range rows {
		if m.Matrix == matrix && m.Method == method && m.Result == "converged" && (q.Seconds == 0 || m.Seconds < q.Seconds) {
			q = m
		}
	}
	return q
}
