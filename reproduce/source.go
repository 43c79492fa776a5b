package reproduce

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// source is the source of a matrix.
type source struct {
	name      string
	text      string // name of the file, or generator and parameters
	surrogate bool
	nnz       int64 // about
	load      func(ctx context.Context, maxMemory int64) (*csr.Matrix, error)
}

// cost returns about how many seconds it takes to read or make the matrix.
func (s source) cost() float64 { return 1.5e-7 * float64(s.nnz) }

// source finds a matrix in the folder, or makes a surrogate with about so many nonzeros. It returns false if neither
// exists.
func (o Options) source(name string, nnz int64) (source, bool, error) {
	if o.Matrices != "" {
		if found, ok := matrixio.Find(o.Matrices, name); ok {
			return fromFile(name, found), true, nil
		}
	}
	paper, _ := matrixio.FindPaper(name)
	s := paper.Surrogate
	if s == nil {
		return source{}, false, nil
	}
	params, err := sized(s, nnz)
	if err != nil {
		return source{}, false, fmt.Errorf("%s: %w", name, err)
	}
	k, _ := generate.Find(s.Generator) // sized has checked the name
	rows, nonzeros, err := k.Estimate(params)
	if err != nil {
		return source{}, false, fmt.Errorf("%s: %w", name, err)
	}
	return source{
		name: name, surrogate: true, text: s.Generator + "," + params.String(), nnz: nonzeros,
		load: func(_ context.Context, maxMemory int64) (*csr.Matrix, error) {
			if bytes := csr.Bytes(rows, nonzeros); maxMemory > 0 && bytes > maxMemory {
				return nil, fmt.Errorf("its surrogate takes %d bytes, more than the memory limit", bytes)
			}
			return generate.Generate(s.Generator, params)
		},
	}, true, nil
}

func fromFile(name string, found matrixio.Source) source {
	paper, _ := matrixio.FindPaper(name)
	s := source{name: name, text: filepath.Base(found.Path), nnz: paper.NNZ}
	s.load = func(ctx context.Context, maxMemory int64) (*csr.Matrix, error) {
		m, _, err := found.Read(ctx, matrixmarket.Options{MaxMemory: maxMemory, KeepZeros: true})
		return m, err
	}
	return s
}
