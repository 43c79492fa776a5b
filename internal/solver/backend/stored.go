package backend

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Stored describes how the scaled matrix is stored.
type Stored struct {
	Storage solve.Storage
	Bytes   int64
	Stats   adaptive.Stats  // zero if it is plain CSR
	Layout  string          // in words
	Kind    adaptive.Layout // "": there is no single layout
	slow    bool            // slower than FP64 CSR
	Rows    int

	Relaxer linop.Relaxer[vector, scalar] // the matrix for preconditioners that multiply with it; nil: not on the host
	Source  *csr.Matrix                   // the scaled matrix, if the stored matrix uses it; nil: it does not
}

// Lines describes the stored matrix, with a line for each format.
func (a Stored) Lines() []string {
	if options.Plain(a.Storage) {
		lines := []string{"precision FP64"}
		if a.Layout != "" {
			lines = append(lines, "layout "+a.Layout)
		}
		return lines
	}
	s := a.Stats
	fp64 := csr.Bytes(int64(a.Rows), int64(s.NNZ))
	lines := []string{fmt.Sprintf("precision %v: %.2f bytes per nonzero instead of %.2f, indices included; %.2f %% dropped",
		a.Storage, s.PerNonzero(), float64(fp64)/float64(max(s.NNZ, 1)), 100*float64(s.Dropped)/float64(max(s.NNZ, 1)))}
	layout := a.Layout
	if a.slow {
		layout += "; slower than FP64 CSR if rows are short (Options.Storage.Set = FP64)"
	}
	lines = append(lines, "layout "+layout)
	for _, f := range s.Formats {
		lines = append(lines, fmt.Sprintf("format %-8s %11d nonzeros %5.1f %% %11d bytes",
			f.Format.Name, f.Count, 100*float64(f.Count)/float64(max(s.NNZ, 1)), f.Bytes))
	}
	return lines
}

// Formats names the formats in use.
func (a Stored) Formats() []string {
	if options.Plain(a.Storage) {
		return []string{"FP64"}
	}
	var names []string
	for _, f := range a.Stats.Formats {
		names = append(names, f.Format.Name)
	}
	return names
}

// StoredAs identifies a stored matrix of a system: its storage, and whether it is scaled.
type StoredAs struct {
	set      string
	epsilon  float64
	dd, none bool
}

// AsStored returns the identification of the scaled matrix in the storage t.
func AsStored(t solve.Storage, s *ScaledMatrix) StoredAs {
	return StoredAs{t.Set.Name, t.Epsilon, t.DD, s.None}
}
