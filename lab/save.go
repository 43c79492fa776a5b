package lab

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// save writes the system of a case to dir, as CLASS-INDEX.mtx and CLASS-INDEX-b.mtx, and appends the command that
// solves it to the text.
func (o *Outcome) save(dir string) error {
	if o.system == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	base := filepath.Join(dir, fmt.Sprintf("%s-%d", o.Class, o.Index))
	err := host.Write(base+".mtx", func(w io.Writer) error {
		return matrixmarket.Write(w, o.system.A, matrixmarket.WriteOptions{Comments: []string{o.Text}})
	})
	if err != nil {
		return err
	}
	o.Text += fmt.Sprintf(" | mpsolve solve %s.mtx --rhs %s-b.mtx", base, base)
	return host.Write(base+"-b.mtx", func(w io.Writer) error {
		return matrixmarket.WriteDense(w, len(o.system.B), 1, o.system.B, nil, matrixmarket.WriteOptions{})
	})
}
