package report

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// Stream writes a table of the kernels of BabelStream. It has a row for each size and number of threads, and for each kernel
// the bandwidth of the fastest and of the median round.
func Stream(w io.Writer, results []lab.StreamResult) {
	header := []any{"GB/s, best/median", "threads", "array MiB"}
	for _, k := range lab.StreamKernels() {
		header = append(header, k.Name)
	}
	t := newTable(w, header...)
	var row table.Row
	for k, r := range results {
		if k == 0 || r.N != results[k-1].N || r.Threads != results[k-1].Threads {
			threads := "–"
			if r.Threads > 0 {
				threads = fmt.Sprint(r.Threads)
			}
			row = table.Row{fmt.Sprintf("%d elements", r.N), threads, fmt.Sprintf("%.4g", 8*float64(r.N)/(1<<20))}
		}
		row = append(row, fmt.Sprintf("%.1f/%.1f", r.Best(), r.Typical()))
		if k+1 == len(results) || results[k+1].N != r.N || results[k+1].Threads != r.Threads {
			t.AppendRow(row)
		}
	}
	t.Render()
}

// streamed has the fields that the JSON forms of results on the host and on a device share.
type streamed struct {
	Kernel        string  `json:"kernel"`
	Elements      int     `json:"elements"` // of an array of doubles
	Bytes         int64   `json:"bytes_moved"`
	Rounds        int     `json:"rounds"`
	SecondsMin    float64 `json:"seconds_min"`
	SecondsMedian float64 `json:"seconds_median"`
	GBps          Number  `json:"gbps"`
	GBpsMedian    Number  `json:"gbps_median"`
}

func streamedBy(r lab.StreamResult) streamed {
	return streamed{r.Kernel, r.N, r.Bytes, len(r.Rounds), r.Min, r.Median, Number(r.Best()), Number(r.Typical())}
}

// StreamJSON writes each result as one JSON object on a line.
func StreamJSON(w io.Writer, on host.Environment, results []lab.StreamResult) error {
	type result struct {
		streamed
		Threads int `json:"threads"`
		host.Environment
	}
	return jsonLines(w, results, func(r lab.StreamResult) any { return result{streamedBy(r), r.Threads, on} })
}

// DeviceStreamJSON is StreamJSON for results on a device.
func DeviceStreamJSON(w io.Writer, on gpu.Info, results []lab.StreamResult) error {
	type result struct {
		streamed
		Backend      string `json:"backend"`
		Device       string `json:"device"`
		Architecture string `json:"architecture"`
	}
	return jsonLines(w, results, func(r lab.StreamResult) any {
		return result{streamedBy(r), string(on.Backend), on.Name, on.Architecture}
	})
}
