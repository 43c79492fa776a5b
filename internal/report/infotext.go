package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// nextRungs is the number of rungs of the ladder that are named.
const nextRungs = 3

// WriteChoice writes what a solve begins with, its decisions as `solve --verbose` has them, and what it takes; or why there is none.
func (i *Info) WriteChoice(w io.Writer) {
	if i.Refused != "" {
		Line(w, "solve", "refuses it: %s", i.Refused)
	}
	if i.Choice == nil {
		return
	}
	c := i.Choice
	fmt.Fprintln(w)
	for _, line := range c.Events {
		switch label, _, _ := strings.Cut(line, " "); label {
		case "precision", "layout", "format": // which the next line says
		default:
			Event(w, line)
		}
	}
	layout := ""
	if c.Layout != "" {
		layout = ", layout " + c.Layout
	}
	Line(w, "stored", "%.2f bytes per nonzero, indices included; %s, %s%s", c.PerNonzero, bytes(c.Bytes), strings.Join(c.Formats, " "), layout)
	if len(c.Fallbacks) > 0 {
		Line(w, "begins", "%s", c.Fallbacks[0])
	}
	if rank := i.Matrix.StructuralRank; rank != nil && *rank < min(i.Matrix.Rows, i.Matrix.Cols) {
		Line(w, "caution", "the pattern of nonzeros allows a rank of %d at most: the matrix is singular whatever its values", *rank)
	}
	if rest := c.rest(); len(rest) > 0 {
		Line(w, "then", "%s, as far as that does not do", strings.Join(rest, "; "))
	}
	Line(w, "command", "%s", i.Command)
}

// WriteMemory writes what each method needs at least, if that is known.
func (i *Info) WriteMemory(w io.Writer) {
	if i.Memory != nil {
		fmt.Fprintln(w)
		i.Memory.write(w, i.Choice.Preconditioner.Kind)
	}
}

// rest is what may follow the first rung, each once.
func (c *Choice) rest() (rungs []string) {
	for k, r := range c.Fallbacks {
		if !slices.Contains(c.Fallbacks[:k], r) && k > 0 && len(rungs) < nextRungs {
			rungs = append(rungs, r)
		}
	}
	return rungs
}

// write writes the table.
func (m *Memory) write(w io.Writer, precond string) {
	Line(w, "memory", "at least what follows, as --max-memory counts it, %s of mpsolve included", bytes(m.Program))
	header := []any{"", "alone"}
	if with := m.Methods[0].Preconditioned > 0; with {
		header = append(header, "with "+precond)
	}
	t := newTable(w, header...)
	for _, one := range m.Methods {
		row := table.Row{"  " + one.Method, bytes(one.Alone)}
		if one.Preconditioned > 0 {
			row = append(row, bytes(one.Preconditioned))
		}
		t.AppendRow(row)
	}
	t.Render()
}

// Write writes bounds and the estimate, as far as there are any.
func (c *Condition) Write(w io.Writer) {
	if c.Gershgorin != nil {
		Line(w, "spectrum", "eigenvalues between %.3g and %.3g (Gershgorin's bounds, which hold)", c.Gershgorin.Low, c.Gershgorin.High)
	}
	if c.Ritz != nil {
		Line(w, "", "reach from %.3g or less to %.3g or more (Ritz values after %d steps of Lanczos' process: inside of the spectrum)",
			c.Ritz.Low, c.Ritz.High, c.Steps)
	}
	if c.Unknown != "" {
		Line(w, "condition", "%s", c.Unknown)
		return
	}
	Line(w, "condition", "about %.1e in the 1-norm (estimated from below by Hager and Higham's method; as read, without scaling)", float64(c.Estimate))
}
