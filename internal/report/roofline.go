package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/roofline"
)

// Roofline writes a table of the points of one number of threads, in GFLOP/s: a row
// for each configuration, a column for each intensity. readLimit is in bytes per
// second, 0 for not measured.
func Roofline(w io.Writer, threads int, readLimit float64, intensities []int, points []roofline.Point) {
	if readLimit > 0 {
		Line(w, "threads", "%d, memory: read %.1f GB/s", threads, readLimit/1e9)
	} else {
		Line(w, "threads", "%d", threads)
	}
	header := []any{"GFLOP/s by FLOP a value", "bytes"}
	for _, i := range intensities {
		header = append(header, i)
	}
	t := newTable(w, append(header, "GB/s", "% of limit")...)
	for _, name := range roofline.Names(points) {
		row := table.Row{name}
		for _, p := range points {
			if p.Config != name || p.Threads != threads {
				continue
			}
			if len(row) == 1 {
				row = append(row, p.Bytes)
			}
			row = append(row, fmt.Sprintf("%.2f", p.GFLOPS))
		}
		gbps, _ := roofline.Best(points, name, threads)
		limit := ""
		if readLimit > 0 {
			limit = fmt.Sprintf("%.0f", 100*gbps*1e9/readLimit)
		}
		t.AppendRow(append(row, fmt.Sprintf("%.1f", gbps), limit))
	}
	t.Render()
}

// rooflinePoint is the JSON form of a point.
type rooflinePoint struct {
	Config        string  `json:"config"`
	BytesPerValue int     `json:"bytes_per_value"`
	FLOPPerValue  int     `json:"flop_per_value"`
	Threads       int     `json:"threads"`
	GFLOPS        Number  `json:"gflops"`
	GBps          Number  `json:"gbps"`
	Seconds       float64 `json:"seconds"`
	ReadLimit     Number  `json:"read_limit_gbps"` // 0: not measured
	Machine
}

// RooflineJSON writes each point as one JSON object on a line; readLimits are in
// bytes per second, by number of threads.
func RooflineJSON(w io.Writer, on Machine, readLimits map[int]float64, points []roofline.Point) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, p := range points {
		if err := e.Encode(rooflinePoint{
			Config: p.Config, BytesPerValue: p.Bytes, FLOPPerValue: p.Intensity, Threads: p.Threads,
			GFLOPS: Number(p.GFLOPS), GBps: Number(p.GBps), Seconds: p.Seconds,
			ReadLimit: Number(readLimits[p.Threads] / 1e9), Machine: on,
		}); err != nil {
			return err
		}
	}
	return nil
}
