package cli

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// exportArrays writes a matrix and x into a folder as arrays, little-endian and without a header: rowptr (int64), col
// (int32), val and x (float64). The file matrix.json describes the matrix.
func exportArrays(ctx context.Context, dir, name string, m *csr.Matrix, x []float64) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for file, array := range map[string]any{"rowptr": m.RowPtr, "col": m.Col, "val": m.Val, "x": x} {
		write := func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, array) }
		if err := writeFile(ctx, filepath.Join(dir, file), write); err != nil {
			return err
		}
	}
	return writeFile(ctx, filepath.Join(dir, "matrix.json"), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(map[string]any{"matrix": name, "rows": m.Rows, "cols": m.Cols, "nnz": m.NNZ()})
	})
}
