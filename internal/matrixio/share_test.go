package matrixio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// counter counts the bytes that are read of a file.
type counter struct {
	io.ReaderAt
	bytes *atomic.Int64
}

func (c counter) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, at)
	c.bytes.Add(int64(n))
	return n, err
}

// counted is Recognise with readers that count what they read.
func counted(bytes *atomic.Int64) func(name string, head []byte) *matrixmarket.Reader {
	return func(name string, head []byte) *matrixmarket.Reader {
		r := Recognise(name, head)
		if r == nil {
			return nil
		}
		read, share := r.Read, r.Share
		count := func(f *matrixmarket.File) *matrixmarket.File {
			g := *f
			if f.At != nil {
				g.At = counter{f.At, bytes}
			}
			return &g
		}
		r.Read = func(ctx context.Context, f *matrixmarket.File, opt matrixmarket.Options) (*matrixmarket.Content, error) {
			bytes.Add(f.Size) // the stream is not counted
			return read(ctx, count(f), opt)
		}
		if share != nil {
			r.Share = func(ctx context.Context, f *matrixmarket.File, opt matrixmarket.Options) (*matrixmarket.Shared, error) {
				return share(ctx, count(f), opt)
			}
		}
		return r
	}
}

// written writes content to a file in a format.
func written(t *testing.T, word string, c *matrixmarket.Content) string {
	t.Helper()
	var b bytes.Buffer
	if err := ByWord(word).Write(&b, c, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return fileOf(t, "m."+word, b.Bytes())
}

func fileOf(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sameRows compares what ranks read of a matrix with what one process does, and returns the bytes that each rank has read.
func sameRows(t *testing.T, path string, ranks, domains int) []int64 {
	t.Helper()
	want, wantErr := readFile(path, matrixmarket.Options{})
	bytes := make([]atomic.Int64, ranks)
	dist.Run(ranks, func(c dist.Comm) {
		opt := matrixmarket.DistributedOptions{Options: matrixmarket.Options{Threads: 2, Other: counted(&bytes[c.Rank()])}, Domains: domains}
		got, err := matrixmarket.ReadDistributed(t.Context(), c, path, opt)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s, rank %d of %d: %v, want %v", path, c.Rank(), ranks, err, wantErr)
		}
		if err != nil || wantErr != nil {
			return
		}
		d, err := dist.CutMatrix(want.Matrix, domains)
		a := got.Dist
		if err != nil || a == nil || !slices.Equal(a.Domains.Start, d.Start) || a.NNZ != int64(want.Matrix.NNZ()) || !strings.Contains(got.How, "each its share") && ranks > 1 {
			t.Errorf("%s, rank %d of %d: other domains (%v, %q)", path, c.Rank(), ranks, err, got.How)
			return
		}
		if got.Header != want.Header || got.Form != want.Form || got.Stored != want.Stored || got.Counts != want.Counts || !slices.Equal(got.Warnings, want.Warnings) {
			t.Errorf("%s, rank %d of %d: %+v, %q, want %+v, %q", path, c.Rank(), ranks, got.Counts, got.Warnings, want.Counts, want.Warnings)
		}
		for _, p := range a.Parts {
			for i := range p.Own {
				cols, vals := a.Local.Row(p.First() + i)
				wantCols, wantVals := want.Matrix.Row(int(p.Row) + i)
				if !slices.Equal(dist.Numbers[int64](dist.Bytes(vals)), dist.Numbers[int64](dist.Bytes(wantVals))) ||
					!slices.EqualFunc(cols, wantCols, func(at, j int32) bool { return a.Global(int(at)) == int64(j) }) {
					t.Errorf("%s, rank %d of %d: row %d differs", path, c.Rank(), ranks, int(p.Row)+i)
					return
				}
			}
		}
	})
	read := make([]int64, ranks)
	for r := range bytes {
		read[r] = bytes[r].Load()
	}
	return read
}

// band returns a matrix whose rows have 1 to 2 width+1 entries.
func band(n, width int) *matrixmarket.Content {
	m := &csr.Matrix{Rows: n, Cols: n, RowPtr: []int64{0}}
	for i := range n {
		w := width * (i % 7) / 6
		for j := max(0, i-w); j <= min(n-1, i+w); j++ {
			m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, 1/float64(1+i+2*j))
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	c := matrixmarket.NewContent("m", 1<<30, matrixmarket.Header{}, n, n, matrixmarket.Options{})
	c.SetMatrix(m, nil, 0)
	return c
}

// Each rank reads its share of the bytes, and little more: no rank reads the whole.
func TestConcurrentRanksReadTheirRows(t *testing.T) {
	c := band(150_000, 12)
	for _, word := range []string{"mpx", "petsc"} {
		path := written(t, word, c)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		const ranks = 4
		// On either side of its columns and values a rank reads the rest of a block. Not counted is the sample that tells copies apart: 1 MB,
		// and on rank 0 those of the others, 64 MB at most.
		const rest = 4 * mpxBlock
		for r, n := range sameRows(t, path, ranks, 8) {
			most := 1.1*float64(info.Size())/ranks + rest
			t.Logf("%s, %d bytes: rank %d reads %d, %.2f shares", word, info.Size(), r, n, float64(n)*ranks/float64(info.Size()))
			if float64(n) > most {
				t.Errorf("%s, %d bytes: rank %d of %d reads %d, want %.0f at most", word, info.Size(), r, ranks, n, most)
			}
		}
	}
}

// Small and odd matrices: zeros, duplicates and columns in any order in PETSc files, nan, empty rows, fewer rows than ranks.
func TestConcurrentRanksReadOddFiles(t *testing.T) {
	be := func(v ...any) (b []byte) {
		for _, x := range v {
			b, _ = binary.Append(b, binary.BigEndian, x)
		}
		return b
	}
	odd := be([]int32{petscMatrix, 6, 6, 9}, []int32{2, 0, 3, 1, 1, 2}, []int32{1, 0, 2, 2, 0, 3, 4, 5, 5}, []float64{1, 2, 0.1, 0.2, 0, 4, 5, 6, 7})
	files := map[string]string{"odd": fileOf(t, "odd.petsc", odd)}
	for _, vector := range []string{"a vector", "nothing"} {
		b := slices.Clone(odd)
		if vector == "a vector" {
			b = append(b, be([]int32{petscVector, 1}, 1.0)...)
		}
		copy(b[len(odd)-16:], be(uint64(0x7ff8<<48)))
		files["nan and "+vector] = fileOf(t, "nan.petsc", b)
	}
	for name, lengths := range map[string][]int32{"negative": {2, 0, 4, -1, 2, 2}, "too many": {2, 0, 3, 1, 1, 3}} {
		b := slices.Clone(odd)
		copy(b[16:], be(lengths))
		files[name] = fileOf(t, name+".petsc", b)
	}
	outside := slices.Clone(odd)
	copy(outside[16+24+4*8:], be(int32(6)))
	files["outside"] = fileOf(t, "outside.petsc", outside)
	for _, word := range []string{"mpx", "petsc"} {
		files["band "+word] = written(t, word, band(60, 3))
	}
	for name, path := range files {
		for _, ranks := range []int{1, 2, 3, 5, 9} {
			for _, domains := range []int{2, 5} {
				if sameRows(t, path, ranks, domains); t.Failed() {
					t.Fatalf("%s, %d ranks, %d domains", name, ranks, domains)
				}
			}
		}
	}
}

// A fault in the share of one rank is an error of all, which names the file (Concurrent).
func TestConcurrentRanksFindFaults(t *testing.T) {
	data, _ := blocksOf(t)
	petsc, err := os.ReadFile(written(t, "petsc", band(5000, 3)))
	if err != nil {
		t.Fatal(err)
	}
	changed := func(b []byte, at int) []byte {
		b = slices.Clone(b)
		b[at] ^= 0x40
		return b
	}
	for name, b := range map[string][]byte{
		"row offsets": changed(data, 2*mpxBlock/3), "columns": changed(data, mpxBlock+mpxBlock/2), "values": changed(data, len(data)-1000),
		"checksums": changed(data, len(data)-9), "the header": changed(data, 20),
		"an end": data[:len(data)-1000], "a petsc end": petsc[:len(petsc)-8], "an early petsc end": petsc[:9000], "petsc columns": changed(petsc, 16+4*5000+4*9000),
	} {
		path := fileOf(t, "m.bin", b)
		if _, err := readFile(path, matrixmarket.Options{}); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		for _, ranks := range []int{2, 4} {
			sameRows(t, path, ranks, 4)
		}
	}
}

// Right-hand sides of several columns are read by all ranks too (Concurrent).
func TestConcurrentRanksReadTheirElements(t *testing.T) {
	for _, cols := range []int{1, 3} {
		const rows = 50_000
		values := make([]float64, rows*cols)
		for k := range values {
			values[k] = 1 / float64(k+1)
		}
		c := matrixmarket.NewContent("b", 1<<30, matrixmarket.Header{}, rows, cols, matrixmarket.Options{})
		c.SetDense(values, nil)
		for _, word := range []string{"mpx", "petsc"} {
			path := written(t, word, c)
			for _, ranks := range []int{2, 4} {
				d, err := dist.Cut(rows, 5, func(i int64) int64 { return i * i })
				if err != nil {
					t.Fatal(err)
				}
				dist.Run(ranks, func(c dist.Comm) {
					var bytes atomic.Int64
					opt := matrixmarket.DistributedOptions{Options: matrixmarket.Options{Other: counted(&bytes)}}
					_, own, err := matrixmarket.ReadColumnsDistributed(t.Context(), c, path, opt, d)
					lo, hi := d.Owned(c.Rank(), ranks)
					for k, v := range own {
						if !slices.Equal(v, values[k*rows+int(d.Start[lo]):k*rows+int(d.Start[hi])]) {
							err = fmt.Errorf("column %d differs", k)
						}
					}
					if err != nil || len(own) != cols {
						t.Errorf("%s, rank %d of %d: %d columns, %v", word, c.Rank(), ranks, len(own), err)
					}
				})
			}
		}
	}
}

// A rank that reads rows of a PETSc file allocates little more than these take.
func TestPETScShareAllocates(t *testing.T) {
	const rows, each = 400_000, 7
	m := &csr.Matrix{Rows: rows, Cols: rows, RowPtr: []int64{0}}
	for i := range rows {
		for j := range each {
			m.Col, m.Val = append(m.Col, int32(min(i, rows-each)+j)), append(m.Val, float64(i+j+1))
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	path := written(t, "petsc", &matrixmarket.Content{Rows: m.Rows, Cols: m.Cols, Matrix: m})
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 64)
	if _, err := f.ReadAt(head, 0); err != nil {
		t.Fatal(err)
	}
	in := &matrixmarket.File{Name: path, Stream: bufio.NewReader(f), At: f, Size: info.Size()}
	s, err := Recognise(path, head).Share(t.Context(), in, matrixmarket.Options{Threads: 1})
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	from, to := int64(m.Rows/4), int64(m.Rows/2)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	part, err := s.Read(t.Context(), from, to, m.RowPtr[from])
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	share := csr.Bytes(to-from, int64(part.Matrix.NNZ()))
	got := int64(after.TotalAlloc - before.TotalAlloc)
	t.Logf("%d bytes for %d, %.2f times", got, share, float64(got)/float64(share))
	if got > share*13/10+1<<20 {
		t.Errorf("%d bytes are allocated for a share of %d", got, share)
	}
}
