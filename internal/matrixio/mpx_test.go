package matrixio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// blocksOf returns a file of several blocks.
func blocksOf(t *testing.T) ([]byte, *matrixmarket.Content) {
	t.Helper()
	m := &csr.Matrix{Rows: 40000, Cols: 40000, RowPtr: []int64{0}}
	for i := range m.Rows {
		for j := max(0, i-1); j < min(i+2, m.Cols); j++ {
			m.Col, m.Val = append(m.Col, int32(j)), append(m.Val, float64(i-j)+0.25)
		}
		m.RowPtr = append(m.RowPtr, int64(len(m.Val)))
	}
	c := matrixmarket.NewContent("m", 1<<20, matrixmarket.Header{}, m.Rows, m.Cols, matrixmarket.Options{})
	c.SetMatrix(m, nil, 0)
	var b bytes.Buffer
	if err := ByWord("mpx").Write(&b, c, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), c
}

// Any number of threads reads the same content, and a cancelled context ends a read.
func TestMPXThreads(t *testing.T) {
	data, want := blocksOf(t)
	for _, threads := range []int{1, 2, 5} {
		c, err := readMemory(data, matrixmarket.Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if why := difference(c, want); why != "" {
			t.Errorf("%d threads: other %s", threads, why)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := &matrixmarket.File{Name: "x", At: bytes.NewReader(data), Size: int64(len(data)), Stream: newStream(data)}
	if _, err := ByWord("mpx").reader().Read(ctx, in, matrixmarket.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Every changed byte is noticed; for the arrays the error names the block.
func TestMPXChecksums(t *testing.T) {
	data, _ := blocksOf(t)
	for at := 4; at < len(data); at += 1 + len(data)/300 { // the first four tell the format
		b := slices.Clone(data)
		b[at] ^= 0x10
		_, err := readMemory(b, matrixmarket.Options{})
		if err == nil {
			t.Fatalf("byte %d was changed, which was not noticed", at)
		}
		if at == mpxHeader+mpxBlock+8 && !strings.Contains(err.Error(), "at byte 262400: the next 262144 bytes are damaged") {
			t.Error(err)
		}
	}
	for _, n := range []int{0, 5, mpxHeader, len(data) - 1} {
		if _, err := readMemory(append(slices.Clone(data[:n]), bytes.Repeat([]byte{0}, 3)...), matrixmarket.Options{}); err == nil && n > 4 {
			t.Errorf("a file of %d bytes was read", n)
		}
	}
}

// Contents are checked even if the checksums are right: kernels trust them.
func TestMPXLies(t *testing.T) {
	small := &matrixmarket.Entries{Rows: 3, Cols: 3, Row: []int32{0, 1, 2, 2}, Col: []int32{0, 1, 0, 2}, Val: []float64{1, 2, 3, 4}}
	c, err := small.Content(t.Context(), "m", 1<<20, matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := writeMPX(&b, c, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	const ptr, col = mpxHeader, mpxHeader + 64
	for name, lie := range map[string]func(b []byte){
		"a column out of range":   func(b []byte) { b[col] = 3 },
		"a negative column":       func(b []byte) { b[col+3] = 0x80 },
		"columns that decrease":   func(b []byte) { b[col+8] = 2 },
		"offsets that decrease":   func(b []byte) { b[ptr+8] = 3 },
		"offsets behind the end":  func(b []byte) { b[ptr+24] = 5 },
		"a first offset of one":   func(b []byte) { b[ptr] = 1 },
		"a huge number of rows":   func(b []byte) { b[23] = 0x40 },
		"rows that do not fit":    func(b []byte) { b[16] = 200 },
		"an unknown version":      func(b []byte) { b[8] = 2 },
		"an unknown field":        func(b []byte) { b[13] = 9 },
		"entries that do not fit": func(b []byte) { b[32]++ },
	} {
		data := slices.Clone(b.Bytes())
		lie(data)
		resum(data)
		if _, err := readMemory(data, matrixmarket.Options{}); err == nil {
			t.Errorf("%s was read", name)
		} else {
			checkError(t, err)
			if strings.Contains(err.Error(), "damaged") {
				t.Errorf("%s: %v: the checksums of this test are wrong", name, err)
			}
		}
	}
}

// resum corrects the checksums of a file of one block.
func resum(b []byte) {
	sums := b[len(b)-8:]
	le := binary.LittleEndian
	le.PutUint32(b[mpxHeader-4:], crc32.Checksum(b[:mpxHeader-4], castagnoli))
	le.PutUint32(sums, crc32.Checksum(b[mpxHeader:len(b)-8], castagnoli))
	le.PutUint32(sums[4:], crc32.Checksum(sums[:4], castagnoli))
}

// Headers that declare large sizes do not get memory for them.
func TestHostileHeaders(t *testing.T) {
	huge := mpxHead{rows: 1 << 30, cols: 1 << 30, entries: 1 << 33}
	big := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = binary.BigEndian.AppendUint32(b, x)
		}
		return append(b, 0, 0, 0, 9)
	}
	npy := string(appendNPYHeader(nil, "<f8", 1<<20, 1<<9)) + "12345678"
	for name, data := range map[string][]byte{
		"mpx":    huge.encode(),
		"petsc":  big(petscMatrix, 1<<20, 1<<20, 1<<27),
		"dense":  big(petscMatrix, 1<<14, 1<<14, 1<<32-1),
		"vector": big(petscVector, 1<<29),
		"npy":    []byte(npy),
		"hb":     []byte("t\n 9 9 9 9\nrua 2000000000 2000000000 2000000000 0\n(8I10)          (8I10)          (3E26.18)\n 1 1 1\n"),
	} {
		for way, read := range map[string]func() error{
			"file": func() error { _, err := readMemory(data, matrixmarket.Options{}); return err },
			"stream": func() error {
				_, err := matrixmarket.Read(t.Context(), bytes.NewReader(data), "x.bin", matrixmarket.Options{Other: Recognise})
				return err
			},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := read()
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Errorf("%s, %s: read", name, way)
				continue
			}
			checkError(t, err)
			if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
				t.Errorf("%s, %s: %d bytes were allocated before: %v", name, way, n, err)
			}
		}
	}
}

// The content of a file tells its format, whatever its name.
func TestRecognise(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := BySuffix(path)
		if want == nil || strings.HasSuffix(path, ".gz") {
			continue
		}
		if r := Recognise("anything", data); r == nil || r.Format != want.Name {
			t.Errorf("%s: recognised as %v, want %s", path, r, want.Name)
		}
	}
	for _, text := range []string{"%%MatrixMarket matrix coordinate real general\n", "%%matrixmarket", "1 2 3\n1 1 1\n", "", "PK", "MATLAB 5.0 MAT-file"} {
		if r := Recognise("a.mtx", []byte(text)); r != nil {
			t.Errorf("%q is recognised as %s", text, r.Format)
		}
	}
	if r := Recognise("a.npz", []byte("what is this")); r == nil || r.Format != "NumPy archive" {
		t.Errorf("the name does not tell the format: %v", r)
	}
	if r := Recognise("a.npz", []byte("%%MatrixMarket matrix")); r != nil {
		t.Errorf("the name counts more than the content")
	}
}

// A mapped file is read and checked like any other.
func TestMPXMapped(t *testing.T) {
	data, want := blocksOf(t)
	path := filepath.Join(t.TempDir(), "m.mpx")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readFile(path, matrixmarket.Options{Map: func(int64) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	if why := difference(c, want); why != "" {
		t.Errorf("other %s", why)
	}
	if c.Intact == nil {
		t.Skip("nothing is mapped on this system, or without cgo")
	}
	if err := c.Intact(); err != nil {
		t.Error(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Intact(); err == nil {
		t.Error("a file that has been written to is intact")
	}
	if _, err := readFile(path, matrixmarket.Options{Map: func(int64) bool { return true }}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file: %v", err)
	}
}
