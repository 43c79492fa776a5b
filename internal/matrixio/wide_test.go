package matrixio

import (
	"bufio"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// far is a number of rows beyond 32 bits.
const far = 3_000_000_000

// A piece of a file begins at a byte.
type piece struct {
	at    int64
	bytes []byte
}

// sparseFile makes a file of so many bytes, zeros but for some pieces, which take no room on the disk.
func sparseFile(t *testing.T, name string, size int64, pieces ...piece) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	for _, p := range pieces {
		if _, err := f.WriteAt(p.bytes, p.at); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// shared opens a file as ranks do.
func shared(t *testing.T, path string) (*matrixmarket.Shared, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	in := &matrixmarket.File{Name: path, Stream: bufio.NewReader(f), At: f, Size: info.Size()}
	head, _ := in.Stream.Peek(64)
	return Recognise(path, head).Share(t.Context(), in, matrixmarket.Options{})
}

// words are numbers of 64 bits, as PETSc with 64-bit indices writes them.
func words(v ...int64) []byte { return appendNumbers(nil, binary.BigEndian, v) }

// Rows beyond 2^31 of a PETSc file with 64-bit numbers are read at their places, with columns beyond 2^31; one process refuses it.
func TestWidePETScRows(t *testing.T) {
	const (
		row     = 1<<31 + 100 // the first of two rows with entries
		head    = 4 * 8
		columns = head + 8*far
		values  = columns + 8*5
	)
	cols := []int64{far - 1, 7, row, row + 1, 1 << 31}
	file := func(cols []int64) string {
		return sparseFile(t, "wide.petsc", values+8*5, piece{0, words(petscMatrix, far, far, 5)}, piece{head + 8*row, words(3, 2)},
			piece{columns, words(cols...)}, piece{values, appendNumbers(nil, binary.BigEndian, []float64{1, 2, 3, 4, 5})})
	}
	path := file(cols)
	s, err := shared(t, path)
	if err != nil || s == nil || s.Rows != far || s.Entries != 5 {
		t.Fatal(s, err)
	}
	var lengths []int64
	if err := s.Lengths(t.Context(), row-1, row+3, func(n []int64) { lengths = append(lengths, n...) }); err != nil || !slices.Equal(lengths, []int64{0, 3, 2, 0}) {
		t.Errorf("lengths %v, %v", lengths, err)
	}
	c, err := s.Read(t.Context(), row-1, row+3, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Columns are numbered in their order: 7, 2^31, the four rows, and the last one.
	if m := c.Matrix; m.Cols != 7 || !slices.Equal(m.RowPtr, []int64{0, 0, 3, 5, 5}) || !slices.Equal(m.Col, []int32{0, 3, 6, 1, 4}) ||
		!slices.Equal(m.Val, []float64{2, 3, 1, 5, 4}) {
		t.Errorf("%+v", m)
	}
	cols[1] = far
	if s, err = shared(t, file(cols)); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Read(t.Context(), row-1, row+3, 0); err == nil || !strings.Contains(err.Error(), "index 3000000000 is outside 0 to 2999999999") {
		t.Errorf("a column too many: %v", err)
	}
	if _, err := readFile(path, matrixmarket.Options{}); err == nil || !strings.Contains(err.Error(), "3000000000 x 3000000000: a process can index 2147483647 rows and columns") {
		t.Errorf("one process: %v", err)
	}
	cut := sparseFile(t, "cut.petsc", 1<<20, piece{0, words(petscMatrix, 1<<60, 1<<60, 5)})
	if s, err := shared(t, cut); s != nil || err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("2^60 rows: %v, %v", s, err)
	}
}

// Elements beyond 2^31 of right-hand sides are read at their places.
func TestWideColumns(t *testing.T) {
	const at = 1<<31 + 100
	x := []float64{1.5, -2.5, 3.5}
	check := func(path string) {
		t.Helper()
		s, err := shared(t, path)
		if err != nil || s == nil || s.Rows != far || s.Cols != 1 {
			t.Fatal(s, err)
		}
		c, err := s.Read(t.Context(), at-1, at+4, 0)
		if err != nil || !slices.Equal(c.Dense, append(append([]float64{0}, x...), 0)) {
			t.Errorf("%s: %v, %v", path, c, err)
		}
	}
	check(sparseFile(t, "b.petsc", 16+8*far, piece{0, words(petscVector, far)}, piece{16 + 8*at, appendNumbers(nil, binary.BigEndian, x)}))

	h := mpxHead{Header: matrixmarket.Header{Format: matrixmarket.Array}, rows: far, cols: 1, entries: far}
	l := h.layout()
	b := appendNumbers(nil, binary.LittleEndian, x)
	block := (l.val + 8*at - mpxHeader) / mpxBlock
	var sums []byte
	zeros := make([]byte, mpxBlock)
	for k := range l.blocks() {
		from := mpxHeader + k*mpxBlock
		data := zeros[:min(from+mpxBlock, l.sums)-from]
		if k == block {
			data = slices.Clone(data)
			copy(data[l.val+8*at-from:], b)
		}
		sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(data, castagnoli))
	}
	sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(sums, castagnoli))
	check(sparseFile(t, "b.mpx", l.size, piece{0, h.encode()}, piece{l.val + 8*at, b}, piece{l.sums, sums}))
}

// An .mpx file has columns of 32 bits, and no room for more.
func TestWideMPXColumns(t *testing.T) {
	for _, n := range []int64{csr.MaxDim, csr.MaxDim + 1} {
		h := mpxHead{rows: n, cols: n, entries: 1}
		path := sparseFile(t, "wide.mpx", 4096, piece{0, h.encode()})
		want := "the file has 4096 bytes"
		if n > csr.MaxDim {
			want = "more columns than numbers of 32 bits count"
		}
		if s, err := shared(t, path); s != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d columns: %v, %v", n, s, err)
		}
	}
}

// Text has no index beyond 2^31, but ranks may share an array of more elements.
func TestWideText(t *testing.T) {
	for banner, want := range map[string]string{
		"coordinate real general\n3000000000 3000000000 1\n1 1 1\n": "3000000000 rows are more than the 2147483647 that mpsolve can index",
		"array real symmetric\n3000000000 3000000000\n1\n":          "3000000000 rows are more than the 2147483647 that mpsolve can index",
		"array real general\n3000000000 1\n1\n":                     "the file ends after 1 of the 3000000000",
		"array real general\n3000000000 3000000000\n1\n":            "a 3000000000 x 3000000000 array has more values than mpsolve can index",
	} {
		text := "%%MatrixMarket matrix " + banner
		_, err := matrixmarket.Read(context.Background(), io.LimitReader(strings.NewReader(text), 1<<20), "b.mtx", matrixmarket.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", banner, err, want)
		}
	}
}

// Ranks that number columns anew read what one process reads, duplicates and zeros in PETSc files included (Concurrent).
func TestConcurrentRanksNumberColumnsAnew(t *testing.T) {
	defer func(n int64) { mostColumns = n }(mostColumns)
	mostColumns = 10
	m := band(3000, 12).Matrix
	b := words(petscMatrix, int64(m.Rows), int64(m.Rows), int64(m.NNZ())+4)
	for i := range m.Rows {
		n := m.RowPtr[i+1] - m.RowPtr[i]
		if i == 0 { // four entries more: a duplicate, two that cancel, and a zero
			n += 4
		}
		b = append(b, words(n)...)
	}
	b = append(b, words(0, 2999, 2999, 1500)...)
	for _, j := range m.Col {
		b = append(b, words(int64(j))...)
	}
	b = appendNumbers(b, binary.BigEndian, append([]float64{3, 1, -1, 0}, m.Val...))
	path := fileOf(t, "m.petsc", b)
	for _, ranks := range []int{2, 3, 5} {
		for _, domains := range []int{2, 8} {
			sameRows(t, path, ranks, domains)
		}
	}
}
