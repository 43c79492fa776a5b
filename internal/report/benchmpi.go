package report

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/lab"
)

// Job describes the ranks that are measured, and their machine.
type Job struct {
	MPI     string `json:"mpi"` // version of the library, in its own words; empty without a library
	Ranks   int    `json:"ranks"`
	Threads int    `json:"threads_per_rank"`
	host.Environment
}

// OnJob writes the ranks, the library and the processor of rank 0.
func OnJob(w io.Writer, j Job) {
	Line(w, "ranks", "%d, of %d threads", j.Ranks, j.Threads)
	if j.MPI != "" {
		Line(w, "MPI", "%s", j.MPI)
	} else {
		Line(w, "MPI", "none: a single process")
	}
	OnMachine(w, j.Environment)
}

// micro returns seconds as microseconds.
func micro(seconds float64) string { return fmt.Sprintf("%.4g", seconds*1e6) }

// Messages writes a table of collective operations.
func Messages(w io.Writer, list []lab.Message) {
	t := newTable(w, "all ranks", "size", "µs, best", "median", "GB/s a rank")
	for _, m := range list {
		size, speed := "–", "–"
		switch {
		case m.Bytes > 0:
			size, speed = "2 x "+humanize.IBytes(uint64(m.Bytes/2)), fmt.Sprintf("%.3g", m.GBps())
		case m.Numbers > 0:
			size = humanize.Comma(int64(m.Numbers))
		}
		t.AppendRow([]any{m.What, size, micro(m.Min), micro(m.Median), speed})
	}
	t.Render()
}

// MessagesJSON writes each operation as one JSON object on a line.
func MessagesJSON(w io.Writer, on Job, list []lab.Message) error {
	type result struct {
		Measured      string  `json:"measured"`
		What          string  `json:"what"`
		Numbers       int     `json:"numbers,omitempty"`
		Bytes         int64   `json:"bytes_sent,omitempty"`
		Rounds        int     `json:"rounds"`
		SecondsMin    float64 `json:"seconds_min"`
		SecondsMedian float64 `json:"seconds_median"`
		GBps          Number  `json:"gbps,omitempty"`
		Job
	}
	return jsonLines(w, list, func(m lab.Message) any {
		return result{"message", m.What, m.Numbers, m.Bytes, len(m.Rounds), m.Min, m.Median, Number(m.GBps()), on}
	})
}

// growth returns the word for how the size of the matrix depends on the number of ranks.
func growth(s lab.RankScaling) string {
	if s.Weak {
		return "weak"
	}
	return "strong"
}

// RankScalings writes a table of one kind and scaling; the first row must be that of one rank.
func RankScalings(w io.Writer, list []lab.RankScaling) {
	t := newTable(w, list[0].Kind+", "+growth(list[0]), "rows", "SpMV ms", "efficiency", "CG ms", "efficiency", "bytes sent", "messages", "reductions")
	for _, s := range list {
		product, iteration := s.Efficiency(list[0])
		t.AppendRow([]any{
			fmt.Sprintf("ranks %d", s.Ranks), humanize.Comma(s.Rows),
			milli(s.Product.Median), percent(product, 1), milli(s.Iteration.Median), percent(iteration, 1),
			humanize.Comma(s.MostBytes), s.MostMessages, fmt.Sprintf("%.3g", s.Reductions),
		})
	}
	t.Render()
}

// milli returns seconds as milliseconds.
func milli(seconds float64) string { return fmt.Sprintf("%.4g", seconds*1e3) }

// RankScalingsJSON writes each result of a kind and scaling as one JSON object on a line. The first result must be that of
// one rank.
func RankScalingsJSON(w io.Writer, on Job, list []lab.RankScaling) error {
	type timed struct {
		SecondsMin    float64 `json:"seconds_min"`
		SecondsMedian float64 `json:"seconds_median"`
		Efficiency    float64 `json:"efficiency"`
	}
	type sent struct {
		Messages     int64   `json:"messages"`
		Bytes        int64   `json:"bytes"`
		MostMessages int64   `json:"messages_of_a_rank"`
		MostBytes    int64   `json:"bytes_of_a_rank"`
		Reductions   float64 `json:"reductions"`
		Numbers      float64 `json:"numbers_reduced"`
	}
	type result struct {
		Measured  string `json:"measured"`
		Kind      string `json:"kind"`
		Scaling   string `json:"scaling"`
		On        int    `json:"on_ranks"`
		Domains   int    `json:"domains"`
		Rows      int64  `json:"rows"`
		NNZ       int64  `json:"nnz"`
		Product   timed  `json:"spmv"`
		Iteration timed  `json:"cg_iteration"`
		Sent      sent   `json:"sent_per_iteration"`
		Job
	}
	return jsonLines(w, list, func(s lab.RankScaling) any {
		product, iteration := s.Efficiency(list[0])
		return result{
			"scaling", s.Kind, growth(s), s.Ranks, s.Domains, s.Rows, s.NNZ,
			timed{s.Product.Min, s.Product.Median, product},
			timed{s.Iteration.Min, s.Iteration.Median, iteration},
			sent{s.Messages, s.Bytes, s.MostMessages, s.MostBytes, s.Reductions, s.Numbers},
			on,
		}
	})
}
