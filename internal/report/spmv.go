package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/lab"
)

// OnMachine writes the processor of a measurement.
func OnMachine(w io.Writer, m host.Environment) {
	Line(w, "processor", "%s, %s kernels, last-level cache %s", Known(m.Processor), m.Kernels, Size(m.LLCBytes))
}

// Size returns a number of bytes as text, "unknown" for 0. Units are powers of two, as usual for caches.
func Size(n int64) string {
	if n == 0 {
		return Known("")
	}
	return humanize.IBytes(uint64(n))
}

// Known returns the text, or "unknown" for "".
func Known(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// Threads writes the number of threads and their bandwidth.
func Threads(w io.Writer, r lab.Row) {
	if r.Read == 0 {
		Line(w, "threads", "%d", r.Threads)
		return
	}
	Line(w, "threads", "%d, memory: read %.1f GB/s (by streams: %s), triad %.1f GB/s",
		r.Threads, r.Read/1e9, strings.Trim(fmt.Sprintf("%.1f", gigabytes(r.Streams[:])), "[]"), r.Triad/1e9)
}

// gigabytes returns bytes in units of 10^9.
func gigabytes(bytes []float64) (g []float64) {
	for _, b := range bytes {
		g = append(g, b/1e9)
	}
	return g
}

// percent returns 100 part/limit as text; "" without a limit.
func percent(part, limit float64) string {
	if limit <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", 100*part/limit)
}

// Products writes a table of products that were measured with the same number of threads.
func Products(w io.Writer, rows []lab.Row) {
	t := newTable(w, "product", "bytes/nz", "ms", "median", "GB/s", "% of limit",
		"x CSR", "build", "normwise", "componentwise", "row-wise")
	for _, r := range rows {
		build := ""
		if r.Build > 0 {
			build = fmt.Sprintf("%.0f", r.BuildSpMVs())
		}
		t.AppendRow(table.Row{
			r.Name, fmt.Sprintf("%.2f", r.BytesPerNonzero()),
			fmt.Sprintf("%.3f", 1e3*r.Min), fmt.Sprintf("%.3f", 1e3*r.Median),
			fmt.Sprintf("%.1f", r.BytesPerSecond()/1e9), percent(r.BytesPerSecond(), r.Read),
			fmt.Sprintf("%.2f", r.SpeedupCSR()), build,
			fmt.Sprintf("%.1e", r.Errors.Normwise), fmt.Sprintf("%.1e", r.Errors.Componentwise),
			fmt.Sprintf("%.1e", r.Errors.Row),
		})
	}
	t.Render()
}

// Several writes a table of products with several vectors at once, if there are any. Rows must be measured with the same
// number of threads, the baselines first.
func Several(w io.Writer, rows []lab.Row) {
	if len(rows) < 2 || len(rows[1].Several) == 0 {
		return
	}
	t := newTable(w, "product", "vectors", "ms", "ms/vector", "GB/s", "% of limit", "x alone", "x CSR")
	for k, of := range rows[1].Several {
		for _, r := range rows[1:] {
			s := r.Several[k]
			rate := float64(r.MovedWith(of.Vectors)) / s.Min
			t.AppendRow(table.Row{
				r.Name, of.Vectors, fmt.Sprintf("%.3f", 1e3*s.Min), fmt.Sprintf("%.3f", 1e3*s.ForEach()),
				fmt.Sprintf("%.1f", rate/1e9), percent(rate, r.Read),
				fmt.Sprintf("%.2f", r.SpeedupAlone(s)), fmt.Sprintf("%.2f", lab.SpeedupCSR(rows, s)),
			})
		}
	}
	t.Render()
}

// Regrets writes how much slower the chosen layouts are than the fastest ones.
func Regrets(w io.Writer, list []lab.Regret) {
	for _, r := range list {
		if r.Share() == 1 {
			Line(w, "choice", "%s: the fastest", r.Chosen.Name)
			continue
		}
		Line(w, "choice", "%s: takes %.2f times as long as the fastest, %s", r.Chosen.Name, r.Share(), r.Fastest.Name)
	}
}

// onHost are the fields that all products of the host have.
type onHost struct {
	Matrix          string  `json:"matrix"`
	Rows            int     `json:"rows"`
	Cols            int     `json:"cols"`
	NNZ             int     `json:"nnz"`
	Layout          string  `json:"layout"`
	Formats         string  `json:"formats"`
	Epsilon         Number  `json:"epsilon"`
	Criterion       string  `json:"criterion"`
	Threads         int     `json:"threads"`
	BytesPerNonzero float64 `json:"bytes_per_nnz"`
	SecondsMin      float64 `json:"seconds_min"`
	SecondsMedian   float64 `json:"seconds_median"`
}

func onHostWith(matrix string, threads int, s lab.Stored, t lab.Time) onHost {
	return onHost{
		matrix, s.Rows, s.Cols, s.NNZ, s.Layout, s.Formats, Number(s.Epsilon), s.Criterion, threads, s.BytesPerNonzero(), t.Min, t.Median,
	}
}

// ProductsJSON writes each product as one JSON object on a line.
func ProductsJSON(w io.Writer, on host.Environment, rows []lab.Row) error {
	type several struct {
		Vectors       int     `json:"vectors"`
		SecondsMin    float64 `json:"seconds_min"` // of the product with all vectors
		SecondsMedian float64 `json:"seconds_median"`
	}
	type product struct {
		onHost
		Auto            bool          `json:"auto"` // auto chooses this layout
		GBps            Number        `json:"gbps"`
		ReadLimit       Number        `json:"read_limit_gbps"`   // 0: not measured; so is triad_gbps
		ReadStreams     []float64     `json:"read_streams_gbps"` // with 1, 2, ... streams on each thread
		Triad           Number        `json:"triad_gbps"`
		SpeedupOrdinary Number        `json:"speedup_ordinary"`
		SpeedupTuned    Number        `json:"speedup_tuned"`
		SpeedupCSR      Number        `json:"speedup_csr"`
		BuildSpMVs      Number        `json:"build_spmvs"`
		BackwardError   BackwardError `json:"backward_error"`
		Several         []several     `json:"several,omitempty"` // products with several vectors at once
		host.Environment
	}
	return jsonLines(w, rows, func(r lab.Row) any {
		var list []several
		for _, s := range r.Several {
			list = append(list, several{s.Vectors, s.Min, s.Median})
		}
		on := on
		if r.Kernels != "" {
			on.Kernels = r.Kernels
		}
		return product{
			onHost: onHostWith(r.Matrix, r.Threads, r.Stored, r.Time), Several: list, Auto: r.Auto,
			GBps: Number(r.BytesPerSecond() / 1e9), ReadLimit: Number(r.Read / 1e9),
			ReadStreams: gigabytes(r.Streams[:]), Triad: Number(r.Triad / 1e9),
			SpeedupOrdinary: Number(r.SpeedupOrdinary()), SpeedupTuned: Number(r.SpeedupTuned()), SpeedupCSR: Number(r.SpeedupCSR()),
			BuildSpMVs:    Number(r.BuildSpMVs()),
			BackwardError: BackwardError{Number(r.Errors.Row), Number(r.Errors.Normwise), Number(r.Errors.Componentwise)},
			Environment:   on,
		}
	})
}

// jsonLines writes each value, in the form that form returns, as one JSON object on a line.
func jsonLines[T any](w io.Writer, list []T, form func(T) any) error {
	for _, v := range list {
		if err := WriteJSON(w, form(v)); err != nil {
			return err
		}
	}
	return nil
}

// ProductsDD writes a table of products with double-double vectors beside those with float64 ones.
func ProductsDD(w io.Writer, products []lab.ProductDD) {
	t := newTable(w, "layout", "bytes/nz", "double ms", "median", "dd ms", "median", "dd/double", "GB/s", "error of double", "error of dd")
	for _, p := range products {
		t.AppendRow(table.Row{
			p.Layout, fmt.Sprintf("%.2f", p.BytesPerNonzero()),
			fmt.Sprintf("%.3f", 1e3*p.Double.Min), fmt.Sprintf("%.3f", 1e3*p.Double.Median),
			fmt.Sprintf("%.3f", 1e3*p.DD.Min), fmt.Sprintf("%.3f", 1e3*p.DD.Median),
			fmt.Sprintf("%.2f", p.Ratio()), fmt.Sprintf("%.1f", p.BytesPerSecond()/1e9),
			fmt.Sprintf("%.1e", p.ErrorDouble), fmt.Sprintf("%.1e", p.ErrorDD),
		})
	}
	t.Render()
}

// ProductsDDJSON writes each pair of products, with float64 and with double-double vectors, as one JSON object on a line.
func ProductsDDJSON(w io.Writer, on host.Environment, matrix string, threads int, products []lab.ProductDD) error {
	type product struct {
		onHost           // with float64 vectors
		DDMin    float64 `json:"seconds_dd_min"`
		DDMedian float64 `json:"seconds_dd_median"`
		Error    Number  `json:"error"` // of elements of y, relative to |A| |x|
		DDError  Number  `json:"error_dd"`
		host.Environment
	}
	return jsonLines(w, products, func(p lab.ProductDD) any {
		return product{
			onHostWith(matrix, threads, p.Stored, p.Double), p.DD.Min, p.DD.Median, Number(p.ErrorDouble), Number(p.ErrorDD), on,
		}
	})
}
