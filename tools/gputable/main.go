// Command gputable turns what bench/gpu/run.sh wrote into the tables of docs/gpu.md, with
// verdicts against the goals: see `make gpu-table`. With -counts it writes what products execute
// there, of pkg/gpu/testdata/ratchet.txt, as `go generate ./pkg/gpu` does.
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
	"strings"

	"github.com/mpsolve/mpsolve/tools/page"
)

const (
	begin = "<!-- results: make gpu-table -->"
	end   = "<!-- end of results -->"
)

func main() {
	results := flag.String("results", "gpu-results", "`folder` that run.sh wrote")
	path := flag.String("page", "", "`file` to put the tables into; standard output if not given")
	file := flag.String("counts", "", "`file` of counts to put into the page instead")
	flag.Parse()
	err := error(nil)
	if *file != "" {
		err = counts(*file, *path)
	} else {
		err = run(*results, *path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gputable:", err)
		os.Exit(1)
	}
}

func run(results, path string) error {
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
	return page.Replace(path, begin, end, text)
}

// measurement is a line of mpsolve bench gpu --json or of compare.py.
type measurement struct {
	Kind       string  `json:"kind"` // product or solve
	Library    string  `json:"library"`
	Matrix     string  `json:"matrix"`
	NNZ        int     `json:"nnz"`
	Layout     string  `json:"layout"`
	Formats    string  `json:"formats"`
	Epsilon    float64 `json:"epsilon"`
	Bytes      int64   `json:"matrix_bytes"`
	Seconds    float64 `json:"seconds_min"`
	Median     float64 `json:"seconds_median"`
	GBps       float64 `json:"gbps"`
	Copy       float64 `json:"copy_gbps"`
	Error      float64 `json:"error_normwise"`
	Method     string  `json:"method"`
	Iterations int     `json:"iterations"`
	Steps      int     `json:"refinement_steps"`
	Result     string  `json:"result"`
	Residual   float64 `json:"relative_residual"`
	Backend    string  `json:"backend"`
	Device     string  `json:"device"`
	Arch       string  `json:"architecture"`
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

// name says how the matrix was stored.
func (m measurement) name() string {
	if m.Library != "" {
		return m.Library
	}
	if strings.HasPrefix(m.Layout, "csr") {
		return "CSR " + m.Formats
	}
	return fmt.Sprintf("%s %s, %s", m.Layout, m.Formats, power(m.Epsilon))
}

// power writes a power of two as 2^-24.
func power(epsilon float64) string {
	for e := range 64 {
		if epsilon == 1/float64(uint64(1)<<e) {
			return fmt.Sprintf("2^-%d", e)
		}
	}
	return fmt.Sprintf("%.1e", epsilon)
}
