// Package report holds the report of a solve, which is printed as text or as JSON. docs/report.schema.json describes the JSON form.
package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// SchemaVersion is the version of the JSON form. A change that old readers would not understand raises it; a new field does
// not.
const SchemaVersion = 1

// Report is the outcome of one run of `mpsolve solve`. With several right-hand sides, counts and seconds are sums, errors are
// the largest ones, and the reason is that of the first right-hand side that did not converge.
type Report struct {
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"` // of mpsolve
	Run           Run    `json:"run"`

	Matrix    Matrix   `json:"matrix"`
	Complex   *Complex `json:"complex,omitempty"`
	Reorder   Reorder  `json:"reorder"`
	RHS       string   `json:"rhs"`
	Method    string   `json:"method"`  // the last method used
	Vectors   string   `json:"vectors"` // as requested
	Scale     string   `json:"scale"`
	Refine    bool     `json:"refine"`
	Layout    string   `json:"layout"`
	Formats   []string `json:"formats"`
	Stored    []Stored `json:"stored"`  // empty for plain FP64 CSR
	Epsilon   Number   `json:"epsilon"` // null for a fixed-point format, whose errors are absolute
	Criterion string   `json:"criterion"`
	Stop      string   `json:"stop"`
	Tolerance float64  `json:"tolerance"`
	Threads   int      `json:"threads"` // in a job, those of rank 0
	Domains   int      `json:"domains"` // number of domains; x depends on it, but not on the number of ranks
	Ranks     *Ranks   `json:"ranks,omitempty"`
	Device    Device   `json:"device"`
	Events    []string `json:"events"` // decisions and changes of method, a line each

	Outcome
	Solutions []Outcome `json:"solutions"` // one for each right-hand side

	Seconds Seconds `json:"seconds"`
	Bytes   Bytes   `json:"bytes"`

	Preconditioner Preconditioner `json:"preconditioner"`
	Output         string         `json:"output,omitempty"` // the file of x
	Checkpoint     *Checkpoint    `json:"checkpoint,omitempty"`
	Checksums      *Checksums     `json:"sha256,omitempty"` // nil: x has none

	storage string // of the method's matrix, in words
}

// Checkpoint says how often checkpoints were written, and which one is left.
type Checkpoint struct {
	File       string  `json:"file,omitempty"` // checkpoint for --resume; "": none is left
	Taken      int     `json:"taken"`          // how often it was written
	Seconds    float64 `json:"seconds"`        // time to write all, part of the time of solving
	Bytes      int64   `json:"bytes"`          // size of the last checkpoint
	RHS        int     `json:"rhs"`            // right-hand side of the last checkpoint, from 1
	Iterations int     `json:"iterations"`     // iterations for that right-hand side
}

// Preconditioner describes the last preconditioner used. Applications and their seconds count all preconditioners.
type Preconditioner struct {
	Kind         string  `json:"kind"`
	Text         string  `json:"text"`    // with its main parameters
	Epsilon      float64 `json:"epsilon"` // 0: none
	Applications int     `json:"applications"`
	SecondsSetup float64 `json:"seconds_setup"`
	SecondsApply float64 `json:"seconds_apply"`
	Values       int64   `json:"values"` // number of stored values
	ValueBytes   int64   `json:"value_bytes"`
	Bytes        int64   `json:"bytes"`              // indices and work vectors included
	FP64Bytes    int64   `json:"fp64_bytes"`         // the same with values in FP64
	Launches     int     `json:"launches,omitempty"` // kernels in an application on a device, which has these bytes; 0: on the host
}

// Matrix describes the matrix.
type Matrix struct {
	File      string `json:"file"`
	Rows      int    `json:"rows"`
	Cols      int    `json:"cols"`
	NNZ       int    `json:"nnz"`
	Symmetric bool   `json:"symmetric"`

	StructuralRank *int `json:"structural_rank,omitempty"` // see features.Matrix.StructuralRank; nil: not known
}

// Run says what was run, when, and on which machine.
type Run struct {
	Arguments []string  `json:"arguments"` // the command line without the name of the program
	Started   time.Time `json:"started"`
	Processor string    `json:"processor"` // "": not known
	Kernels   string    `json:"kernels"`   // set of SIMD instructions
}

// Stored describes the part of the stored matrix in one format.
type Stored struct {
	Format string `json:"format"`
	Count  int    `json:"count"` // number of values
	Bytes  int64  `json:"bytes"` // values, column indices and row offsets
}

// Complex describes a complex system, for which Matrix is the real form.
type Complex struct {
	Rows int    `json:"rows"` // of the complex matrix
	Form string `json:"form"` // name of the real form, see matrixio.Form
}

// Device is the device that had the vectors.
type Device struct {
	Backend      string `json:"backend"` // if it is cpu, the other fields are empty
	Index        int    `json:"index"`
	Name         string `json:"name"`
	Architecture string `json:"architecture"`
	Memory       int64  `json:"memory_bytes"` // peak
	Stored       int64  `json:"stored_bytes"` // the stored matrix

	Choice *choice.DeviceChoice `json:"choice,omitempty"` // why --device auto chose it; nil: the user named the device
}

// Reorder is the order of rows and columns of the stored matrix.
type Reorder struct {
	Order           string  `json:"order"`
	BandwidthBefore int     `json:"bandwidth_before"`
	BandwidthAfter  int     `json:"bandwidth_after"`
	ProfileBefore   int64   `json:"profile_before"`
	ProfileAfter    int64   `json:"profile_after"`
	Seconds         float64 `json:"seconds"` // part of the time of building
}

// Seconds is the time spent in each phase. Total is the whole run, Device the opening of a
// device. Build contains the set-up of the first preconditioner. Solve contains SpMV,
// Preconditioner (applications, and the set-up of later ones), Orthogonalization and Other,
// which is vector operations and scaling. Digits, estimating and improving the digits of x
// and the search for a contradiction where they confirm nothing, is the part of Solve that
// followed the tolerance.
type Seconds struct {
	Device            float64 `json:"device"`
	Read              float64 `json:"read"`
	Build             float64 `json:"build"`
	Solve             float64 `json:"solve"`
	SpMV              float64 `json:"spmv"`
	Preconditioner    float64 `json:"preconditioner"`
	Orthogonalization float64 `json:"orthogonalization"`
	Other             float64 `json:"other"`
	Verify            float64 `json:"verify"`
	Digits            float64 `json:"digits"`
	Total             float64 `json:"total"`
}

// Bytes is the memory of the matrix, and the peak memory of the process.
type Bytes struct {
	FP64CSR int64 `json:"fp64_csr"`
	Stored  int64 `json:"stored"`
	PeakRSS int64 `json:"peak_rss"` // 0: not known
}

// Number is a float64. In JSON it is null if it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// SetMatrix fills in the properties of the matrix.
func (r *Report) SetMatrix(file string, f csr.Facts) {
	r.Matrix = Matrix{File: file, Rows: f.Rows, Cols: f.Cols, NNZ: f.NNZ, Symmetric: f.Symmetric}
	r.Bytes.FP64CSR = csr.Bytes(int64(f.Rows), int64(f.NNZ))
}

// SetOrder fills in how the matrix was reordered.
func (r *Report) SetOrder(o features.Ordering) {
	r.Reorder = Reorder{
		Order:           string(cmp.Or(o.Order, solve.ReorderNone)), // several domains have no order
		BandwidthBefore: o.Before.Bandwidth, BandwidthAfter: o.After.Bandwidth,
		ProfileBefore: o.Before.Profile, ProfileAfter: o.After.Profile, Seconds: o.Elapsed.Seconds(),
	}
}

// SetDevice fills in the device of a solve. It must be called before Add.
func (r *Report) SetDevice(info gpu.Info, memory int64, on bool) {
	r.Device = Device{Backend: "cpu"}
	if on {
		r.Device = Device{
			Backend: string(info.Backend), Index: info.Index, Name: info.Name, Architecture: info.Architecture,
			Memory: memory,
		}
	}
}

func (r *Report) onDevice() bool { return r.Device.Name != "" }

// Add adds the result for one more right-hand side.
func (r *Report) Add(s solve.Result) {
	one := outcome(s)
	r.Method, r.Vectors = s.Method, rules.VectorsText(s.Vectors)
	r.setStorage(s)
	r.setPreconditioner(s.Precond)
	r.Solutions = append(r.Solutions, one)
	r.Seconds.add(s.Time)
	if len(r.Solutions) == 1 {
		r.Outcome = one
		return
	}
	if r.Converged {
		r.Converged, r.Reason, r.Advice, r.Why, r.Evidence, r.Unknowns = one.Converged, one.Reason, one.Advice, one.Why, one.Evidence, one.Unknowns
	}
	r.OuterIterations += one.OuterIterations
	r.InnerIterations += one.InnerIterations
	r.SpMVs += one.SpMVs
	work := r.Digits.Iterations + one.Digits.Iterations
	if one.Digits.rank() < r.Digits.rank() {
		r.Digits, r.Precise = one.Digits, one.Precise
	}
	r.Digits.Iterations = work
	for _, line := range one.Cautions {
		r.Cautions = append(r.Cautions, fmt.Sprintf("x %d: %s", len(r.Solutions), line))
	}
	r.Attempts = append(r.Attempts, one.Attempts...)
	r.setErrors(worst(r.errors(), s.Errors))
}

// setStorage fills in how the method's matrix was stored at the end.
func (r *Report) setStorage(s solve.Result) {
	r.Formats, r.Layout, r.Bytes.Stored, r.storage = s.Formats, string(s.Layout), s.Bytes, fmt.Sprint(s.Storage)
	r.Stored = []Stored{}
	for _, f := range s.Stats.Formats {
		r.Stored = append(r.Stored, Stored{f.Format.Name, f.Count, f.Bytes})
	}
	if r.onDevice() {
		r.Device.Stored = s.Bytes
	}
	r.Epsilon, r.Criterion = Number(s.Storage.Epsilon), string(s.Storage.Criterion)
	if s.Storage.Set.Uniform {
		r.Epsilon, r.Criterion = Number(s.Storage.Set.Formats[0].UnitRoundoff()), "none"
	}
}

// setPreconditioner fills in the preconditioner used last.
func (r *Report) setPreconditioner(p solve.PrecondResult) {
	r.Preconditioner = Preconditioner{
		Kind: string(p.Kind), Text: p.Text, Epsilon: p.Epsilon,
		Applications: r.Preconditioner.Applications + p.Applications,
		SecondsSetup: p.Setup.Seconds(), SecondsApply: r.Preconditioner.SecondsApply + p.Elapsed.Seconds(),
		Values: p.Cost.Values, ValueBytes: p.Cost.ValueBytes, Bytes: p.Cost.Bytes, FP64Bytes: p.Cost.FP64Bytes, Launches: p.Launches,
	}
}

func (s *Seconds) add(t solve.TimeByPhase) {
	solving := t.Total - t.Verify
	s.Solve += solving.Seconds()
	s.SpMV += t.SpMV.Seconds()
	s.Preconditioner += t.Precond.Seconds()
	s.Orthogonalization += t.Orthogonalization.Seconds()
	s.Verify += t.Verify.Seconds()
	s.Digits += t.Digits.Seconds()
	s.Other += max(0, solving-t.SpMV-t.Precond-t.Orthogonalization).Seconds()
}

// Finish completes the report of a run that began at start.
func (r *Report) Finish(start time.Time, peakRSS int64) {
	r.Seconds.Total = time.Since(start).Seconds()
	r.Bytes.PeakRSS = peakRSS
}

// WriteJSON writes a report of any kind as one JSON object on a line.
func WriteJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// worst returns the larger of each error: the errors of several right-hand sides in one.
func worst(a, b verify.Errors) verify.Errors {
	return verify.Errors{
		Row:              math.Max(a.Row, b.Row),
		Normwise:         math.Max(a.Normwise, b.Normwise),
		Componentwise:    math.Max(a.Componentwise, b.Componentwise),
		RelativeResidual: math.Max(a.RelativeResidual, b.RelativeResidual),
	}
}
