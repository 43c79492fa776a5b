// Package wholefile writes files that are never partial.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A File is written under another name beside its own, which it gets when it is
// whole.
type File struct {
	path string
	*os.File
}

// Create begins the file path; its folder must exist. Errors name the path.
func Create(path string) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return &File{path, f}, nil
}

// Finish gives the file its name or, if writing it failed with err, removes it.
func (f *File) Finish(err error) error {
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", f.path, err), removeIfThere(f.Name()))
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Write writes path as a whole or not at all.
func Write(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	return f.Finish(write(f))
}
