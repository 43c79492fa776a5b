package report

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/lab"
)

// Roofline writes a table of the points for one number of threads, in GFLOP/s: a row for each configuration, a column for
// each intensity. from says where the array is: in memory or in the cache.
func Roofline(w io.Writer, threads int, from string, roof lab.Roof, intensities []int, points []lab.RooflinePoint) {
	ceilings := fmt.Sprintf("%s %.1f GB/s", from, roof.GBps)
	for _, arithmetic := range slices.Sorted(maps.Keys(roof.GFLOPS)) {
		ceilings += fmt.Sprintf(", %s %.1f GFLOP/s", arithmetic, roof.GFLOPS[arithmetic])
	}
	Line(w, "threads", "%d, ceilings: %s", threads, ceilings)
	header := []any{"GFLOP/s by FLOP per value", "bytes"}
	for _, i := range intensities {
		header = append(header, i)
	}
	t := newTable(w, append(header, "GB/s", "% of "+from)...)
	for _, name := range lab.ConfigsOf(points) {
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
		gbps, _ := lab.BestOf(points, name, threads)
		t.AppendRow(append(row, fmt.Sprintf("%.1f", gbps), percent(gbps, roof.GBps)))
	}
	t.Render()
}

// RooflineJSON writes each point as one JSON object on a line, with the roof for its number of threads.
func RooflineJSON(w io.Writer, on host.Environment, roofs map[int]lab.Roof, points []lab.RooflinePoint) error {
	type point struct {
		Config        string  `json:"config"`
		BytesPerValue int     `json:"bytes_per_value"`
		FLOPPerValue  int     `json:"flop_per_value"`
		Threads       int     `json:"threads"`
		GFLOPS        Number  `json:"gflops"`
		GBps          Number  `json:"gbps"`
		Seconds       float64 `json:"seconds"`
		ReadLimit     Number  `json:"read_limit_gbps"` // ceiling of the memory or the cache
		host.Environment
	}
	return jsonLines(w, points, func(p lab.RooflinePoint) any {
		return point{
			p.Config, p.Bytes, p.Intensity, p.Threads, Number(p.GFLOPS), Number(p.GBps), p.Seconds,
			Number(roofs[p.Threads].GBps), on,
		}
	})
}
