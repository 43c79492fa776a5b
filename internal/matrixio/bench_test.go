package matrixio

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// BenchmarkRead reads G3_circuit as text, as compressed text and as .mpx.
func BenchmarkRead(b *testing.B) {
	packed := filepath.Join("..", "..", "..", "shared", "matrices", "G3_circuit.mtx.gz")
	data, err := os.ReadFile(packed)
	if err != nil {
		b.Skip(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	plain, own := filepath.Join(dir, "g.mtx"), filepath.Join(dir, "g.mpx")
	if err := os.WriteFile(plain, text, 0o600); err != nil {
		b.Fatal(err)
	}
	c, err := readFile(plain, matrixmarket.Options{})
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(own)
	if err != nil {
		b.Fatal(err)
	}
	if err := ByWord("mpx").Write(f, c, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	for _, file := range []struct {
		name, path string
		mapped     bool
	}{{"text", plain, false}, {"gzip", packed, false}, {"mpx", own, true}, {"mpx-copied", own, false}} {
		b.Run(file.name, func(b *testing.B) {
			for b.Loop() {
				c, err := matrixmarket.ReadFile(context.Background(), file.path, matrixmarket.Options{Other: Recognise, Map: func(int64) bool { return file.mapped }})
				if err != nil {
					b.Fatal(err)
				}
				if file.mapped && c.Intact == nil {
					b.Fatal("the file is not mapped: there may be too many mappings of this process")
				}
			}
		})
	}
}
