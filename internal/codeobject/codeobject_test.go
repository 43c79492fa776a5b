package codeobject

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKernels reads this project's code objects, whose kernels have no scratch, and a wave of 64 or 32.
func TestKernels(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "pkg", "gpu", "source", "code", "*.hsaco"))
	if err != nil || len(files) < 7 {
		t.Fatalf("%d code objects, %v", len(files), err)
	}
	for _, path := range files {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := Kernels(code)
		if err != nil || len(kernels) < 40 {
			t.Fatalf("%s: %d kernels, %v", path, len(kernels), err)
		}
		wave := 32
		if strings.Contains(path, "gfx9") {
			wave = 64
		}
		for name, k := range kernels {
			if k.Name != name || k.Wave != wave || k.Private != 0 || k.Threads != 256 || len(k.Arguments) < 2 || k.Arguments[0] != (Argument{0, 4}) || k.Entry%256 != 0 {
				t.Errorf("%s: %+v", path, *k)
			}
		}
		for _, cut := range []int{0, 100, len(code) / 2} {
			if _, err := Kernels(code[:cut]); err == nil {
				t.Errorf("%s: the first %d bytes have kernels", path, cut)
			}
		}
	}
}
