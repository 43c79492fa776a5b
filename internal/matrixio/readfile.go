package matrixio

import (
	"context"
	"fmt"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// ReadFile reads a real sparse matrix from a file of any format, which the content determines; the file may be
// compressed. It refuses a file that needs more memory than the machine has.
func ReadFile(ctx context.Context, name string) (*csr.Matrix, error) {
	c, err := readAny(ctx, name)
	if err != nil {
		return nil, err
	}
	m, err := c.CSR()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// ReadVector reads a real vector from a file of any format with a single column.
func ReadVector(ctx context.Context, name string) ([]float64, error) {
	c, err := readAny(ctx, name)
	if err != nil {
		return nil, err
	}
	columns, err := c.Columns()
	if err == nil && len(columns) != 1 {
		err = fmt.Errorf("want a vector, not %d columns", len(columns))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return columns[0], nil
}

func readAny(ctx context.Context, name string) (*matrixmarket.Content, error) {
	return matrixmarket.ReadFile(ctx, name, matrixmarket.Options{Other: Recognise, Installed: host.Available()})
}
