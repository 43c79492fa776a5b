// Command layoutrecord reads what `mpsolve bench spmv --json` prints, on standard
// input, and prints the speeds of the layouts of each matrix relative to tuned FP64
// CSR: pkg/adaptive/testdata/layouts.jsonl, against which a test holds the layouts
// that the model chooses. See `make layout-record`.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// measurement is what it takes of a line of the bench.
type measurement struct {
	Matrix  string  `json:"matrix"`
	Layout  string  `json:"layout"`
	Formats string  `json:"formats"`
	Epsilon float64 `json:"epsilon"`
	Speed   float64 `json:"speedup_tuned"`
}

// record is the speeds of the layouts of one matrix at one accuracy.
type record struct {
	Matrix  string             `json:"matrix"` // a file without its folder, or a generator with its parameters
	Epsilon float64            `json:"epsilon"`
	Speed   map[string]float64 `json:"speed"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "layoutrecord:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var records []*record
	from, to := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var m measurement
		if err := from.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if m.Formats != "AFX" {
			continue
		}
		name := m.Matrix
		if strings.Contains(name, ".mtx") {
			name = filepath.Base(name)
		}
		last := len(records) - 1
		for last >= 0 && (records[last].Matrix != name || records[last].Epsilon != m.Epsilon) {
			last--
		}
		if last < 0 {
			records = append(records, &record{name, m.Epsilon, map[string]float64{}})
			last = len(records) - 1
		}
		records[last].Speed[m.Layout] = float64(int(m.Speed*100+0.5)) / 100
	}
	for _, r := range records {
		if err := to.Encode(r); err != nil {
			return err
		}
	}
	return nil
}
