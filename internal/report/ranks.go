package report

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize/english"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// A Rank has the figures of one rank of a job.
type Rank struct {
	Threads                int
	Rows, Nonzeros, Ghosts int64
	Stored                 int64 // bytes of the stored matrix
	Peak                   int64 // peak memory of the process, in bytes; 0: not known
	Traffic                dist.Traffic
	Seconds                float64 // time of the solve
}

// Ranks describes how a solve was spread over the ranks of a job.
type Ranks struct {
	Count      int    `json:"count"`
	Nodes      int    `json:"nodes"`
	Threads    Spread `json:"threads"`
	Rows       Spread `json:"rows"`
	Nonzeros   Spread `json:"nonzeros"`
	Ghosts     Spread `json:"ghosts"`
	Stored     Spread `json:"stored_bytes"`
	Peak       Spread `json:"peak_rss"`
	Messages   Spread `json:"messages"`
	Sent       Spread `json:"sent_bytes"`
	Reductions Spread `json:"reductions"`

	SecondsHalo      Spread `json:"seconds_halo"`
	SecondsWaiting   Spread `json:"seconds_waiting"`
	SecondsReduction Spread `json:"seconds_reduction"`
	SecondsSolve     Spread `json:"seconds_solve"`
}

// Spread is the distribution of a number over the ranks.
type Spread struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// NewRanks summarises the figures of the ranks on a number of nodes.
func NewRanks(ranks []Rank, nodes int) *Ranks {
	of := func(number func(Rank) float64) Spread {
		s := Spread{Min: number(ranks[0]), Max: number(ranks[0])}
		sum := 0.0
		for _, r := range ranks {
			v := number(r)
			s.Min, s.Max = min(s.Min, v), max(s.Max, v)
			sum += v
		}
		s.Mean = sum / float64(len(ranks))
		return s
	}
	return &Ranks{
		Count: len(ranks), Nodes: nodes,
		Threads:          of(func(r Rank) float64 { return float64(r.Threads) }),
		Rows:             of(func(r Rank) float64 { return float64(r.Rows) }),
		Nonzeros:         of(func(r Rank) float64 { return float64(r.Nonzeros) }),
		Ghosts:           of(func(r Rank) float64 { return float64(r.Ghosts) }),
		Stored:           of(func(r Rank) float64 { return float64(r.Stored) }),
		Peak:             of(func(r Rank) float64 { return float64(r.Peak) }),
		Messages:         of(func(r Rank) float64 { return float64(r.Traffic.Messages) }),
		Sent:             of(func(r Rank) float64 { return float64(r.Traffic.Bytes) }),
		Reductions:       of(func(r Rank) float64 { return float64(r.Traffic.Reductions) }),
		SecondsHalo:      of(func(r Rank) float64 { return r.Traffic.Halo.Seconds() }),
		SecondsWaiting:   of(func(r Rank) float64 { return r.Traffic.Waiting.Seconds() }),
		SecondsReduction: of(func(r Rank) float64 { return r.Traffic.Reduction.Seconds() }),
		SecondsSolve:     of(func(r Rank) float64 { return r.Seconds }),
	}
}

// Line returns one line with the numbers of ranks, nodes and domains.
func (r *Ranks) Line(domains int) string {
	text := fmt.Sprintf("%d on %s, %s", r.Count, english.Plural(r.Nodes, "node", ""), english.Plural(domains, "domain", ""))
	if idle := r.Count - domains; idle > 0 {
		text += fmt.Sprintf("; %s waited", english.Plural(idle, "rank", ""))
	}
	return text
}

// Write writes the least, the mean and the largest value of each figure.
func (r *Ranks) Write(w io.Writer) {
	Line(w, "ranks", "%d; of each the least, the mean and the most:", r.Count)
	for _, row := range []struct {
		name  string
		value Spread
		text  func(float64) string
	}{
		{"threads", r.Threads, whole},
		{"rows", r.Rows, whole},
		{"nonzeros", r.Nonzeros, whole},
		{"ghosts", r.Ghosts, whole},
		{"stored", r.Stored, size},
		{"peak", r.Peak, size},
		{"messages", r.Messages, whole},
		{"sent", r.Sent, size},
		{"reductions", r.Reductions, whole},
		{"halo", r.SecondsHalo, seconds},
		{"waiting", r.SecondsWaiting, seconds},
		{"reduction", r.SecondsReduction, seconds},
		{"solve", r.SecondsSolve, seconds},
	} {
		Line(w, "  "+row.name, "%12s %12s %12s", row.text(row.value.Min), row.text(row.value.Mean), row.text(row.value.Max))
	}
}

func whole(v float64) string   { return fmt.Sprintf("%.0f", v) }
func size(v float64) string    { return bytes(int64(v)) }
func seconds(v float64) string { return fmt.Sprintf("%.3f s", v) }
