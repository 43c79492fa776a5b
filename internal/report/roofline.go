package report

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/bench"
	"github.com/mpsolve/mpsolve/internal/machine"
)

// Roofline writes a table of the points of one number of threads, in GFLOP/s: a row
// for each configuration, a column for each intensity. readLimit is in bytes per
// second, 0 for not measured.
func Roofline(w io.Writer, threads int, readLimit float64, intensities []int, points []bench.RooflinePoint) {
	if readLimit > 0 {
		Line(w, "threads", "%d, memory: read %.1f GB/s", threads, readLimit/1e9)
	} else {
		Line(w, "threads", "%d", threads)
	}
	header := []any{"GFLOP/s by FLOP per value", "bytes"}
	for _, i := range intensities {
		header = append(header, i)
	}
	t := newTable(w, append(header, "GB/s", "% of limit")...)
	for _, name := range bench.ConfigsOf(points) {
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
		gbps, _ := bench.BestOf(points, name, threads)
		t.AppendRow(append(row, fmt.Sprintf("%.1f", gbps), percent(gbps*1e9, readLimit)))
	}
	t.Render()
}

// RooflineJSON writes each point as one JSON object on a line, given the bandwidth of
// each number of threads.
func RooflineJSON(w io.Writer, on machine.Environment, memory map[int]bench.Bandwidth, points []bench.RooflinePoint) error {
	type point struct {
		Config        string  `json:"config"`
		BytesPerValue int     `json:"bytes_per_value"`
		FLOPPerValue  int     `json:"flop_per_value"`
		Threads       int     `json:"threads"`
		GFLOPS        Number  `json:"gflops"`
		GBps          Number  `json:"gbps"`
		Seconds       float64 `json:"seconds"`
		ReadLimit     Number  `json:"read_limit_gbps"` // 0: not measured
		machine.Environment
	}
	return jsonLines(w, points, func(p bench.RooflinePoint) any {
		return point{
			p.Config, p.Bytes, p.Intensity, p.Threads, Number(p.GFLOPS), Number(p.GBps), p.Seconds,
			Number(memory[p.Threads].Read / 1e9), on,
		}
	})
}
