package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// readContent reads a Matrix Market file, or standard input for "-", and
// prints its warnings. The bar is drawn on a terminal only.
func readContent(ctx context.Context, s streams, path string, threads int) (*matrixmarket.Content, error) {
	opt := matrixmarket.Options{Threads: threads}
	if isTerminal(s.err) {
		bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(s.err),
			progressbar.OptionSetDescription("reading"), progressbar.OptionShowBytes(true),
			progressbar.OptionClearOnFinish())
		opt.Progress = func(done, total int64) {
			bar.ChangeMax64(total)
			_ = bar.Set64(done) // a bar that cannot be drawn harms nothing
		}
		defer func() { _ = bar.Finish() }()
	}
	var c *matrixmarket.Content
	var err error
	if path == "-" {
		c, err = matrixmarket.Read(ctx, s.in, "<stdin>", opt)
	} else {
		c, err = matrixmarket.ReadFile(ctx, path, opt)
	}
	if err != nil {
		if os.IsNotExist(err) || os.IsPermission(err) || isDirectory(path) {
			return nil, &exitError{exitInput, err}
		}
		return nil, err
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(s.err, "mpsolve: warning: %s: %s\n", path, w)
	}
	return c, nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
