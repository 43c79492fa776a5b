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

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// benchFiles makes the files that benchmarks read and returns their paths and the
// bytes of these: the largest shared matrix as it is, unpacked, and with values
// of 17 digits, a matrix with five random diagonals, and an array.
var benchFiles = map[string]func(b *testing.B) (path string, text int64){
	"G3Circuit": func(b *testing.B) (string, int64) {
		packed, err := os.Open(g3Circuit(b))
		if err != nil {
			b.Fatal(err)
		}
		defer packed.Close()
		z, err := gzip.NewReader(packed)
		if err != nil {
			b.Fatal(err)
		}
		return benchFile(b, func(w io.Writer) error {
			_, err := io.Copy(w, z)
			return err
		})
	},
	"G3CircuitGzip": func(b *testing.B) (string, int64) {
		info, err := os.Stat(g3Circuit(b))
		if err != nil {
			b.Fatal(err)
		}
		return g3Circuit(b), info.Size()
	},
	"G3Circuit17Digits": func(b *testing.B) (string, int64) {
		c, err := ReadFile(context.Background(), g3Circuit(b), Options{})
		if err != nil {
			b.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for k := range c.Matrix.Val {
			c.Matrix.Val[k] = rng.NormFloat64()
		}
		return benchFile(b, func(w io.Writer) error { return Write(w, c.Matrix, WriteOptions{}) })
	},
	"Band": func(b *testing.B) (string, int64) {
		return benchFile(b, func(w io.Writer) error { return Write(w, bandMatrix(200000), WriteOptions{}) })
	},
	"Array": func(b *testing.B) (string, int64) {
		m := bandMatrix(200000)
		return benchFile(b, func(w io.Writer) error { return WriteDense(w, len(m.Val), 1, m.Val, nil, WriteOptions{}) })
	},
}

func g3Circuit(b *testing.B) string {
	return filepath.Join(sharedDir(b, "matrices"), "G3_circuit.mtx.gz")
}

func benchFile(b *testing.B, write func(io.Writer) error) (path string, size int64) {
	b.Helper()
	var text bytes.Buffer
	if err := write(&text); err != nil {
		b.Fatal(err)
	}
	return tempFile(b, "bench.mtx", text.Bytes()), int64(text.Len())
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

// BenchmarkRead reads files with one and two threads. MB/s are of the file.
func BenchmarkRead(b *testing.B) {
	for name, file := range benchFiles {
		b.Run(name, func(b *testing.B) {
			path, size := file(b)
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
					b.SetBytes(size)
					for b.Loop() {
						if _, err := ReadFile(context.Background(), path, Options{Threads: threads}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
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

// BenchmarkReadDistributed reads G3_circuit by two ranks of one thread each, and by one process with two threads: as it is, and cut
// into domains.
func BenchmarkReadDistributed(b *testing.B) {
	packed, err := os.ReadFile(g3Circuit(b))
	if err != nil {
		b.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		b.Fatal(err)
	}
	path, size := benchFile(b, func(w io.Writer) error { _, err := io.Copy(w, z); return err })
	for _, c := range []struct{ ranks, threads, domains int }{{1, 2, 1}, {1, 2, 2}, {2, 1, 2}, {2, 1, 8}, {1, 1, 1}} {
		b.Run(fmt.Sprintf("ranks=%d/threads=%d/domains=%d", c.ranks, c.threads, c.domains), func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				dist.Run(c.ranks, func(comm dist.Comm) {
					opt := DistributedOptions{Options: Options{Threads: c.threads}, Domains: c.domains}
					if _, err := ReadDistributed(context.Background(), comm, path, opt); err != nil {
						b.Error(err)
					}
				})
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
	for _, name := range []string{"G3Circuit", "G3Circuit17Digits", "G3CircuitGzip"} {
		b.Run(name, func(b *testing.B) {
			path, _ := benchFiles[name](b)
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
