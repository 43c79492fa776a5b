// Matrix reads real matrices for tests, from the folder shared/matrices next to a checkout.
package testsupport

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Folder returns the folder of the matrices as seen from a package two folders below the root. It skips the test if
// the folder is missing.
func Folder(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "matrices")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no folder shared/matrices next to this checkout")
	}
	return dir
}

// Matrix reads the matrix of that name.
func Matrix(t testing.TB, name string) *csr.Matrix {
	t.Helper()
	m, _, err := matrixio.Named(Folder(t), name).Read(context.Background(), matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
