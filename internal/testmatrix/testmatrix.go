// Package testmatrix reads the real matrices of the folder beside a checkout, for tests.
package testmatrix

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/mpsolve/mpsolve/internal/collection"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Folder is where they are, seen from a package two folders below the root; it skips the
// test if there is none.
func Folder(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "matrices")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no matrices beside this checkout")
	}
	return dir
}

// Matrix reads one of them.
func Matrix(t testing.TB, name string) *csr.Matrix {
	t.Helper()
	m, _, err := collection.Named(Folder(t), name).Read(context.Background(), matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
