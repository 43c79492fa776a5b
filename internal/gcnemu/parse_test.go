package gcnemu

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mpsolve/mpsolve/internal/codeobject"
)

// module is the code of one of this project's code objects; the test is skipped without llvm-objdump.
func module(t testing.TB, target string) *Module {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("..", "..", "pkg", "gpu", "source", "code", target+".hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := codeobject.Kernels(code)
	if err != nil {
		t.Fatal(err)
	}
	text, err := codeobject.Disassemble(code)
	if errors.Is(err, codeobject.ErrNoDisassembler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(kernels, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every instruction of every target is known.
func TestParse(t *testing.T) {
	for _, target := range []string{"gfx908", "gfx90a", "gfx942", "gfx10-3-generic", "gfx11-generic", "gfx1100", "gfx12-generic"} {
		t.Run(target, func(t *testing.T) {
			if m := module(t, target); len(m.Kernels()) < 40 {
				t.Errorf("%d kernels", len(m.Kernels()))
			}
		})
	}
}
