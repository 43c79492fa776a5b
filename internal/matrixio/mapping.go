// Mappings map files into memory for reading. A process that reads a part that has been cut off such a file gets
// SIGBUS, at which Go's runtime would print its state; instead, a handler in C ends the process with one line and
// exit code 1. Therefore mappings exist only on Linux and in builds with cgo; elsewhere, and if a file cannot be
// mapped, callers read it.
package matrixio

import (
	"fmt"
	"io/fs"
	"os"
)

// Mapping is a file in memory. It remains as long as the process lives: slices of it are passed on, and nobody knows
// when the last one is gone.
type Mapping struct {
	Bytes []byte // writes to it stay within this process

	file *os.File // an own descriptor
	was  fs.FileInfo
}

// Object, unless nil, returns the text for standard output, besides the line on standard error, if the process ends
// because a file has been cut off. A program must set it before it maps the first file.
var Object func(text string) string

// OutputUsed suppresses Object's text, since standard output has other text now.
func OutputUsed() { outputUsed() }

// Map maps the first n bytes of a file; it returns nil if that is impossible.
func Map(f *os.File, n int64) *Mapping {
	if n <= 0 || int64(int(n)) != n {
		return nil
	}
	own, err := os.Open(f.Name())
	if err != nil {
		return nil
	}
	m := &Mapping{file: own}
	same, err := f.Stat()
	if err == nil {
		m.was, err = own.Stat()
	}
	if err == nil && os.SameFile(same, m.was) && m.was.Size() >= n {
		text, object := f.Name()+": the file has been cut off while it was in use", ""
		if Object != nil {
			object = Object(text)
		}
		m.Bytes = mapFile(own, n, "mpsolve: "+text+"\n", object)
	}
	if m.Bytes == nil {
		own.Close()
		return nil
	}
	return m
}

// Intact returns an error if the file has been written to since it was mapped.
func (m *Mapping) Intact() error {
	now, err := m.file.Stat()
	if err != nil {
		return err
	}
	if now.Size() != m.was.Size() || !now.ModTime().Equal(m.was.ModTime()) {
		return fmt.Errorf("%s has been written to while it was in use", m.file.Name())
	}
	return nil
}
