package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWrite fails in the middle of a second version: the first one stays, and
// nothing lies beside it.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "first")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("failure")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "sec")
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "first" {
		t.Errorf("got %q, %v", text, err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("got %v, %v, want one file", list, err)
	}
}
