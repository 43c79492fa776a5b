package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Info is the output of `mpsolve info` for a file; docs/info.schema.json describes the JSON.
type Info struct {
	SchemaVersion int         `json:"schema_version"`
	Version       string      `json:"version"` // of mpsolve
	File          string      `json:"file"`
	Content       string      `json:"content"`             // what the file declares that it holds
	Matrix        *InfoMatrix `json:"matrix,omitempty"`    // nil: the file has no matrix
	Complex       *Complex    `json:"complex,omitempty"`   // nil: the matrix is real; else Matrix is its real form
	Choice        *Choice     `json:"choice,omitempty"`    // nil: see Refused, or there is no matrix
	Refused       string      `json:"refused,omitempty"`   // why solve refuses the matrix
	Memory        *Memory     `json:"memory,omitempty"`    // nil if Choice is nil
	Complete      *Complete   `json:"complete,omitempty"`  // nil: there are none, as for matrices that are not square
	Command       string      `json:"command,omitempty"`   // command line of the solve that is described
	Condition     *Condition  `json:"condition,omitempty"` // nil: not asked for
	Sets          []SetSize   `json:"sets,omitempty"`      // nil: not asked for
}

// InfoVersion is the version of the JSON form. A change that old readers would not understand raises it.
const InfoVersion = 1

// InfoMatrix has the properties of a matrix.
type InfoMatrix struct {
	Rows       int    `json:"rows"`
	Cols       int    `json:"cols"`
	NNZ        int    `json:"nnz"`
	LongestRow int    `json:"longest_row"`
	Symmetric  bool   `json:"symmetric"`
	Asymmetry  Number `json:"asymmetry"`
	Positive   int    `json:"diagonal_positive"`
	Negative   int    `json:"diagonal_negative"`
	Zero       int    `json:"diagonal_zero"`
	MinAbs     Number `json:"min_abs"`
	MaxAbs     Number `json:"max_abs"`
	NonFinite  int    `json:"non_finite"`
	FP64CSR    int64  `json:"fp64_csr_bytes"`

	StructuralRank *int `json:"structural_rank,omitempty"` // see features.Matrix.StructuralRank; nil: not known
}

// Choice is what solve chooses before the first iteration.
type Choice struct {
	Method         string         `json:"method"`
	Preconditioner Preconditioner `json:"preconditioner"`
	Scale          string         `json:"scale"`
	Order          string         `json:"order"`
	Domains        int            `json:"domains"`
	Threads        int            `json:"threads"`
	Layout         string         `json:"layout"`
	Formats        []string       `json:"formats"`
	Stored         []Stored       `json:"stored"`
	Epsilon        Number         `json:"epsilon"`
	Criterion      string         `json:"criterion"`
	Bytes          int64          `json:"stored_bytes"`
	PerNonzero     float64        `json:"bytes_per_nonzero"` // indices included
	Fallbacks      []string       `json:"ladder"`            // what a solve tries, in this order, as far as necessary; the first choice first
	Events         []string       `json:"events"`
	Seconds        float64        `json:"seconds"` // to set up
}

// Memory is a forecast of the memory of solves.
type Memory struct {
	Program int64          `json:"program_bytes"` // mpsolve itself
	Limit   int64          `json:"limit_bytes"`   // 0: not known
	Methods []MethodMemory `json:"methods"`       // the chosen method first
}

// MethodMemory is the memory that --max-memory must allow at least for a method.
type MethodMemory struct {
	Method         string `json:"method"`
	Alone          int64  `json:"bytes"`
	Preconditioned int64  `json:"preconditioned_bytes,omitempty"` // with the chosen preconditioner; 0: there is none
	Basis          int64  `json:"basis_bytes"`                    // how much the basis of gmres may grow
}

// Condition is what is known about eigenvalues and the condition number.
type Condition struct {
	Gershgorin *Bounds `json:"gershgorin,omitempty"` // all eigenvalues are within; nil: the matrix is not symmetric
	Ritz       *Bounds `json:"ritz,omitempty"`       // largest and smallest Ritz value, both within the spectrum
	Steps      int     `json:"ritz_steps,omitempty"`
	Estimate   Number  `json:"condition_1norm"` // null: Unknown
	Unknown    string  `json:"unknown,omitempty"`
}

// Bounds are a lower and an upper bound.
type Bounds struct {
	Low  Number `json:"low"`
	High Number `json:"high"`
}

// SetSize is the size of the matrix in one set of formats, for each criterion and accuracy.
type SetSize struct {
	Set   string      `json:"set"`
	Sizes []SpecBytes `json:"sizes"`
}

// SpecBytes is the size for one criterion and accuracy.
type SpecBytes struct {
	Epsilon    float64 `json:"epsilon"`
	Criterion  string  `json:"criterion"`
	PerNonzero float64 `json:"bytes_per_nonzero"`
	Dropped    int     `json:"dropped"`
}

// SetMatrix fills in the properties of the matrix.
func (i *Info) SetMatrix(f csr.Facts) {
	i.Matrix = &InfoMatrix{
		Rows: f.Rows, Cols: f.Cols, NNZ: f.NNZ, LongestRow: f.LongestRow, Symmetric: f.Symmetric, Asymmetry: Number(f.Asymmetry),
		Positive: f.DiagonalPositive, Negative: f.DiagonalNegative, Zero: f.DiagonalZero,
		MinAbs: Number(f.MinAbs), MaxAbs: Number(f.MaxAbs), NonFinite: f.NonFinite, FP64CSR: csr.Bytes(int64(f.Rows), int64(f.NNZ)),
	}
}

// SetChoice takes over what a run of `solve` has reported so far, and the choices of its solver.
func (i *Info) SetChoice(r Report, s *solver.Solver, program, limit int64) {
	chosen := s.Chosen()
	r.setStorage(chosen)
	r.setPreconditioner(chosen.Precond)
	i.Choice = &Choice{
		Method: chosen.Method, Preconditioner: r.Preconditioner, Scale: r.Scale, Order: r.Reorder.Order, Domains: r.Domains, Threads: r.Threads,
		Layout: r.Layout, Formats: r.Formats, Stored: r.Stored, Epsilon: r.Epsilon, Criterion: r.Criterion,
		Bytes: r.Bytes.Stored, PerNonzero: float64(r.Bytes.Stored) / float64(max(1, r.Matrix.NNZ)),
		Fallbacks: append([]string{}, s.Fallbacks()...), Events: r.Events, Seconds: r.Seconds.Build,
	}
	i.Matrix.StructuralRank = r.Matrix.StructuralRank
	i.Memory = &Memory{Program: program, Limit: limit}
	for _, m := range s.Memory() {
		i.Memory.Methods = append(i.Memory.Methods, MethodMemory{string(m.Method), m.Alone, m.Preconditioned, m.Basis})
	}
}

// SetSets takes over predictions, which have a column for each of specs.
func (i *Info) SetSets(specs []SpecBytes, rows []Prediction) {
	for _, r := range rows {
		one := SetSize{Set: r.Set}
		for k, s := range r.Stats {
			at := specs[k]
			at.PerNonzero, at.Dropped = s.PerNonzero(), s.Dropped
			one.Sizes = append(one.Sizes, at)
		}
		i.Sets = append(i.Sets, one)
	}
}

// namedFallbacks is the number of fallbacks that the text names after the first choice.
const namedFallbacks = 3

// WriteChoice writes the decisions of a solve, as `solve --verbose` prints them, the size of the stored matrix and what the
// solve tries; or why solve refuses the matrix.
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
		case "precision", "layout", "format": // the next lines repeat these
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
		Line(w, "then", "%s, if that does not suffice", strings.Join(rest, "; "))
	}
	Line(w, "command", "%s", i.Command)
}

// WriteMemory writes the least memory of each method, if it is known.
func (i *Info) WriteMemory(w io.Writer) {
	if i.Memory != nil {
		fmt.Fprintln(w)
		i.Memory.write(w, i.Choice.Preconditioner.Kind)
	}
}

// rest returns the fallbacks after the first choice, each once, at most namedFallbacks.
func (c *Choice) rest() (list []string) {
	for k, f := range c.Fallbacks {
		if !slices.Contains(c.Fallbacks[:k], f) && k > 0 && len(list) < namedFallbacks {
			list = append(list, f)
		}
	}
	return list
}

// write writes the table of memory.
func (m *Memory) write(w io.Writer, precond string) {
	Line(w, "memory", "the least that solve needs, as --max-memory counts it, with %s for mpsolve itself", bytes(m.Program))
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

// Write writes the bounds and the estimate that are known.
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
