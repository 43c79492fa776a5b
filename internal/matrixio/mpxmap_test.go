package matrixio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// A mapped file is read and checked like any other.
func TestMPXMapped(t *testing.T) {
	data, want := blocksOf(t)
	path := filepath.Join(t.TempDir(), "m.mpx")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readFile(path, matrixmarket.Options{Map: true})
	if err != nil {
		t.Fatal(err)
	}
	if why := difference(c, want); why != "" {
		t.Errorf("other %s", why)
	}
	if c.Intact == nil {
		t.Skip("nothing is mapped on this system, or without cgo")
	}
	if err := c.Intact(); err != nil {
		t.Error(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Intact(); err == nil {
		t.Error("a file that has been written to is intact")
	}
	if _, err := readFile(path, matrixmarket.Options{Map: true}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file: %v", err)
	}
}
