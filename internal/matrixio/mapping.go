// Package mapping maps files into memory that are read only. A process that reads what has been cut off such a file gets SIGBUS, which Go's
// runtime would answer with its state: here the process ends with one line and exit code 1, by a handler in C. So there are mappings only on
// Linux and in builds with cgo; elsewhere, and where a file cannot be mapped, callers read it.
package matrixio

import (
	"fmt"
	"io/fs"
	"os"
)

// Mapping is a file in memory. It stays for as long as the process lives: slices of it are passed on, and nobody knows of the last one.
type Mapping struct {
	Bytes []byte // what is written here stays with this process

	file *os.File // of its own
	was  fs.FileInfo
}

// Object, unless nil, returns what standard output gets, besides the line on standard error, if the process ends since a file has been
// cut off. It is for programs to set before they map the first one.
var Object func(text string) string

// OutputUsed keeps Object's text from standard output, which has other text now.
func OutputUsed() { outputUsed() }

// Map maps the first n bytes of a file; nil if that does not go.
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

// Intact is an error if the file has been written to since it was mapped.
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
