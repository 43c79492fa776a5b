package main

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// layoutSpeeds are the speeds of the layouts of one matrix at one accuracy, relative
// to tuned FP64 CSR.
type layoutSpeeds struct {
	Matrix  string             `json:"matrix"` // a file without its folder, or a generator with its parameters
	Epsilon float64            `json:"epsilon"`
	Speed   map[string]float64 `json:"speed"`
}

// writeLayouts sums up what `mpsolve bench spmv --json` prints, for the test of
// pkg/adaptive that compares the layouts that its model chooses.
func writeLayouts(in io.Reader, out io.Writer) error {
	var list []layoutSpeeds
	for from := json.NewDecoder(in); ; {
		var m struct {
			layoutSpeeds
			Layout  string  `json:"layout"`
			Formats string  `json:"formats"`
			Tuned   float64 `json:"speedup_tuned"`
		}
		if err := from.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if m.Formats != "AFX" {
			continue
		}
		if strings.Contains(m.Matrix, ".mtx") {
			m.Matrix = filepath.Base(m.Matrix)
		}
		at := slices.IndexFunc(list, func(l layoutSpeeds) bool { return l.Matrix == m.Matrix && l.Epsilon == m.Epsilon })
		if at < 0 {
			at = len(list)
			list = append(list, layoutSpeeds{m.Matrix, m.Epsilon, map[string]float64{}})
		}
		list[at].Speed[m.Layout] = math.Round(m.Tuned*100) / 100
	}
	to := json.NewEncoder(out)
	for _, l := range list {
		if err := to.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
