package matrixmarket

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// benchmarkRead reads a file with one and two threads. MB/s are of text.
func benchmarkRead(b *testing.B, path string, textBytes int64) {
	b.Helper()
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			b.SetBytes(textBytes)
			for b.Loop() {
				if _, err := ReadFile(context.Background(), path, Options{Threads: threads}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// g3Circuit returns the packed file of the largest shared matrix.
func g3Circuit(b *testing.B) string {
	return filepath.Join(sharedDir(b, "matrices"), "G3_circuit.mtx.gz")
}

// g3Plain unpacks it.
func g3Plain(b *testing.B) (path string, size int64) {
	b.Helper()
	packed, err := os.Open(g3Circuit(b))
	if err != nil {
		b.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		b.Fatal(err)
	}
	path = filepath.Join(b.TempDir(), "G3_circuit.mtx")
	out, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	size, err = io.Copy(out, z)
	if err != nil {
		b.Fatal(err)
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	return path, size
}

// g3Digits writes it with random values of 17 digits.
func g3Digits(b *testing.B) (path string, size int64) {
	b.Helper()
	c, err := ReadFile(context.Background(), g3Circuit(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range c.Matrix.Val {
		c.Matrix.Val[k] = rng.NormFloat64()
	}
	return writtenFile(b, c.Matrix)
}

func writtenFile(b *testing.B, m *csr.Matrix) (path string, size int64) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "written.mtx")
	out, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := Write(out, m, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	info, err := out.Stat()
	if err != nil {
		b.Fatal(err)
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	return path, info.Size()
}

// bandMatrix returns a general matrix with five random diagonals.
func bandMatrix(n int) *csr.Matrix {
	rng := rand.New(rand.NewPCG(3, 4))
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: make([]int64, 1, n+1)}
	for i := range n {
		for _, j := range []int{i - 300, i - 1, i, i + 1, i + 300} {
			if j >= 0 && j < n {
				m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, rng.NormFloat64())
			}
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	return m
}

func BenchmarkReadG3Circuit(b *testing.B) {
	path, size := g3Plain(b)
	benchmarkRead(b, path, size)
}

func BenchmarkReadG3Circuit17Digits(b *testing.B) {
	path, size := g3Digits(b)
	benchmarkRead(b, path, size)
}

func BenchmarkReadG3CircuitGzip(b *testing.B) {
	_, size := g3Plain(b)
	benchmarkRead(b, g3Circuit(b), size)
}

func BenchmarkReadBand(b *testing.B) {
	path, size := writtenFile(b, bandMatrix(200000))
	benchmarkRead(b, path, size)
}

func BenchmarkReadArray(b *testing.B) {
	m := bandMatrix(200000)
	var text bytes.Buffer
	if err := WriteDense(&text, len(m.Val), 1, m.Val, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	path := tempFile(b, "array.mtx", text.Bytes())
	benchmarkRead(b, path, int64(text.Len()))
}

func BenchmarkWrite(b *testing.B) {
	m := bandMatrix(200000)
	var size bytes.Buffer
	if err := Write(&size, m, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			b.SetBytes(int64(size.Len()))
			for b.Loop() {
				if err := Write(io.Discard, m, WriteOptions{Threads: threads}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// childFile is the environment variable by which BenchmarkPeakMemory tells a
// process of its own what to read.
const childFile = "MATRIXMARKET_READ_FILE"

// BenchmarkPeakMemory reports by how much the resident memory of a process
// grows at most while it reads, in units of the finished matrix.
func BenchmarkPeakMemory(b *testing.B) {
	files := map[string]func(*testing.B) (string, int64){
		"G3Circuit":         g3Plain,
		"G3Circuit17Digits": g3Digits, // written as general
		"G3CircuitGzip":     func(b *testing.B) (string, int64) { return g3Circuit(b), 0 },
	}
	for name, file := range files {
		b.Run(name, func(b *testing.B) {
			path, _ := file(b)
			worst := 0.0
			for b.Loop() {
				child := exec.Command(os.Args[0], "-test.run=^TestPeakMemoryChild$", "-test.v")
				child.Env = append(os.Environ(), childFile+"="+path)
				out, err := child.CombinedOutput()
				if err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				var ratio float64
				_, after, found := strings.Cut(string(out), "ratio=")
				if _, err := fmt.Sscan(after, &ratio); !found || err != nil {
					b.Skipf("no figure from the child:\n%s", out)
				}
				worst = max(worst, ratio)
			}
			b.ReportMetric(worst, "peak/matrix")
		})
	}
}

func TestPeakMemoryChild(t *testing.T) {
	path := os.Getenv(childFile)
	if path == "" {
		t.Skip("only for BenchmarkPeakMemory")
	}
	before, err := memoryStatus("VmRSS:")
	if err != nil {
		t.Skip(err)
	}
	c, err := ReadFile(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	peak, err := memoryStatus("VmHWM:")
	if err != nil {
		t.Skip(err)
	}
	fmt.Printf("ratio=%.3f\n", float64(peak-before)/float64(c.Matrix.Bytes()))
}

// memoryStatus returns a figure of /proc/self/status in bytes.
func memoryStatus(name string) (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(status), name)
	var kB int64
	_, err = fmt.Sscan(after, &kB)
	return kB << 10, err
}
