//go:build !unix

package host

import (
	"context"
	"io/fs"
	"os"
)

func descriptor(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }

func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func keepOwner(*os.File, fs.FileInfo) {}

func openFIFO(_ context.Context, path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY, 0)
}
