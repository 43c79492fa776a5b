package report

import (
	"fmt"
	"io"
)

// Complete is a forecast of complete factors.
type Complete struct {
	Unknown           string `json:"unknown,omitempty"` // why there is no forecast
	*CompleteForecast        // nil: see Unknown
}

// CompleteForecast is precond.CompleteForecast.
type CompleteForecast struct {
	Kind            string  `json:"kind"`
	Order           string  `json:"order"`
	Rows            bool    `json:"rows"`
	Entries         int64   `json:"entries"`
	Multiplications float64 `json:"multiplications"`
	Precision       string  `json:"precision"`
	Bytes           int64   `json:"bytes"`
	FP64Bytes       int64   `json:"fp64_bytes"`
	Making          int64   `json:"making_bytes"`

	Planning  float64 `json:"seconds_planning"`
	Factoring float64 `json:"seconds_factoring"`
	Solving   float64 `json:"seconds_solving"`
}

// Write writes the forecast, if there is one to be had.
func (c *Complete) Write(w io.Writer) {
	switch {
	case c == nil:
		return
	case c.Unknown != "":
		Line(w, "complete", "factors are not forecast: %s", c.Unknown)
		return
	}
	entries, fp64 := fmt.Sprintf("%d entries", c.Entries), ""
	if c.Entries >= 1e6 {
		entries = fmt.Sprintf("%.1f million entries", float64(c.Entries)/1e6)
	}
	if c.Rows {
		entries = "at most " + entries
	}
	if c.Bytes != c.FP64Bytes {
		fp64 = fmt.Sprintf(" (%s in FP64)", bytes(c.FP64Bytes))
	}
	Line(w, "complete", "%s, %s: %s, %s in %s%s, %s while they are made", c.Kind, c.Order, entries, bytes(c.Bytes), c.Precision, fp64, bytes(c.Making))
	if c.Factoring > 0 {
		Line(w, "", "ordered in %.2g s; factors in about %.2g s, a solve %.2g s", c.Planning, c.Factoring, c.Solving)
	}
}
