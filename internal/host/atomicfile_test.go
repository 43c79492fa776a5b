package host

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrite fails in the middle of a second version: the first version stays, and there is no other file.
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

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// Writes follow links, also to files that do not exist yet, and a file keeps its permissions.
func TestWriteThrough(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("old"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"a": "old", "b": "a", "c": "new"} {
		if err := os.Symlink(target, path(link)); err != nil {
			t.Skip(err)
		}
	}
	for link, target := range map[string]string{"b": "old", "c": "new"} {
		if err := errors.Join(Check(path(link)), Write(path(link), text("written"))); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path(target)); err != nil || string(got) != "written" {
			t.Errorf("%s: %q, %v", target, got, err)
		}
		if info, err := os.Lstat(path(link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v, %v", link, info.Mode(), err)
		}
	}
	if info, err := os.Stat(path("old")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 5 {
		t.Errorf("%v, %v, want 5 files", list, err)
	}
}

// Check finds what Write would, and leaves nothing behind.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, good := range map[string]bool{
		"x": true, "no/x": false, "": false, strings.Repeat("x", 300): false, strings.Repeat("x", 250): true,
	} {
		err := Check(path(name))
		if (err == nil) != good {
			t.Errorf("%.20q: %v", name, err)
		}
		if good != (Write(path(name), text("")) == nil) {
			t.Errorf("%.20q: Check and Write do not agree", name)
		}
		if good {
			os.Remove(path(name))
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("%v, %v, want no file", list, err)
	}
	if !Same(path("a"), path("./a")) || Same(path("a"), path("b")) || Same(os.DevNull, os.DevNull) {
		t.Error("Same is wrong")
	}
}

// After Abandon no incomplete file remains, and none can be completed.
func TestAbandon(t *testing.T) {
	defer func() { pending.ended = false }()
	dir := t.TempDir()
	f, err := Create(t.Context(), filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	Abandon()
	if err := f.Commit(nil); err == nil {
		t.Error("completed")
	}
	if err := Write(filepath.Join(dir, "y"), text("y")); !errors.Is(err, ErrAbandoned) {
		t.Errorf("got %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("%v, %v, want no file", list, err)
	}
}
