package report

import (
	"encoding/json"
	"io"

	"github.com/mpsolve/mpsolve/internal/solver"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Info is what `mpsolve info` says about a file; docs/info.schema.json describes the JSON.
type Info struct {
	SchemaVersion int         `json:"schema_version"`
	Version       string      `json:"version"` // of mpsolve
	File          string      `json:"file"`
	Content       string      `json:"content"`             // what the file says that it holds
	Matrix        *InfoMatrix `json:"matrix,omitempty"`    // nil: it holds none
	Complex       *Complex    `json:"complex,omitempty"`   // Matrix is the real form of this one
	Choice        *Choice     `json:"choice,omitempty"`    // nil: Refused, or there is no matrix
	Refused       string      `json:"refused,omitempty"`   // why `solve` would not begin
	Memory        *Memory     `json:"memory,omitempty"`    // as Choice
	Command       string      `json:"command,omitempty"`   // of this solve
	Condition     *Condition  `json:"condition,omitempty"` // nil: not asked for
	Sets          []SetSize   `json:"sets,omitempty"`      // nil: not asked for
}

// InfoVersion is raised by changes that old readers would not understand.
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

// Choice is what a solve begins with.
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
	Ladder         []string       `json:"ladder"`            // what a solve tries, one after the other as far as it is needed
	Events         []string       `json:"events"`
	Seconds        float64        `json:"seconds"` // of setting up
}

// Memory is a forecast of what solves take.
type Memory struct {
	Program int64          `json:"program_bytes"` // of mpsolve itself
	Limit   int64          `json:"limit_bytes"`   // 0: it is not known
	Methods []MethodMemory `json:"methods"`       // the chosen one first
}

// MethodMemory is that for a method: what --max-memory must allow at least.
type MethodMemory struct {
	Method         string `json:"method"`
	Alone          int64  `json:"bytes"`
	Preconditioned int64  `json:"preconditioned_bytes,omitempty"` // with the chosen preconditioner; 0: there is none
	Basis          int64  `json:"basis_bytes"`                    // by which the basis of gmres may grow
}

// Condition is what is known of eigenvalues and condition number.
type Condition struct {
	Gershgorin *Bounds `json:"gershgorin,omitempty"` // all eigenvalues are within; nil: the matrix is not symmetric
	Ritz       *Bounds `json:"ritz,omitempty"`       // within the spectrum
	Steps      int     `json:"ritz_steps,omitempty"`
	Estimate   Number  `json:"condition_1norm"` // null: Unknown
	Unknown    string  `json:"unknown,omitempty"`
}

// Bounds are a lower and an upper one.
type Bounds struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// SetSize is what one set of formats would take with each criterion and target.
type SetSize struct {
	Set   string      `json:"set"`
	Sizes []SpecBytes `json:"sizes"`
}

// SpecBytes is that with one of them.
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

// SetChoice takes over what a run of `solve` has reported so far, and what its solver has chosen.
func (i *Info) SetChoice(r Report, s *solver.Solver, program, limit int64) {
	chosen := s.Chosen()
	r.setStorage(chosen)
	r.setPreconditioner(chosen.Precond)
	i.Choice = &Choice{
		Method: chosen.Method, Preconditioner: r.Preconditioner, Scale: r.Scale, Order: r.Reorder.Order, Domains: r.Domains, Threads: r.Threads,
		Layout: r.Layout, Formats: r.Formats, Stored: r.Stored, Epsilon: r.Epsilon, Criterion: r.Criterion,
		Bytes: r.Bytes.Stored, PerNonzero: float64(r.Bytes.Stored) / float64(max(1, r.Matrix.NNZ)),
		Ladder: append([]string{}, s.Ladder()...), Events: r.Events, Seconds: r.Seconds.Build,
	}
	i.Matrix.StructuralRank = r.Matrix.StructuralRank
	i.Memory = &Memory{Program: program, Limit: limit}
	for _, m := range s.Memory() {
		i.Memory.Methods = append(i.Memory.Methods, MethodMemory{string(m.Method), m.Alone, m.Preconditioned, m.Basis})
	}
}

// SetSets takes over predictions, whose specs are the columns.
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

// WriteJSON writes it as one indented JSON object and a newline.
func (i *Info) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(i)
}
