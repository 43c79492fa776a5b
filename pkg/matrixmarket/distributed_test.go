package matrixmarket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// sameOnRanks reads a file by ranks, and compares what each gets with what one process does.
func sameOnRanks(t *testing.T, path string, ranks, domains int, opt Options) {
	t.Helper()
	want, wantErr := ReadFile(context.Background(), path, opt)
	var m *csr.Matrix
	if wantErr == nil {
		if m, wantErr = want.CSR(); wantErr != nil {
			wantErr = &Error{File: path, Msg: wantErr.Error()}
		}
	}
	if wantErr == nil && domains > max(1, m.Rows) {
		wantErr = enoughRows(path, int64(m.Rows), domains)
	}
	dist.Run(ranks, func(c dist.Comm) {
		got, err := ReadDistributed(context.Background(), c, path, DistributedOptions{Options: opt, Domains: domains})
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("rank %d: %v, want %v", c.Rank(), err, wantErr)
		}
		if err != nil || wantErr != nil {
			return
		}
		if diff := differenceOnRanks(c, got, want, m, domains); diff != "" {
			t.Errorf("rank %d of %d, %d domains: %s differs", c.Rank(), ranks, domains, diff)
		}
	})
}

// differenceOnRanks names what differs between what a rank has and the whole.
func differenceOnRanks(c dist.Comm, got *Distributed, want *Content, m *csr.Matrix, domains int) string {
	facts := func(c Content) string {
		c.Matrix, c.Dense, c.Imag, c.limit = nil, nil, nil, budget{}
		return fmt.Sprintf("%+v", c)
	}
	switch {
	case facts(*got.Content) != facts(*want):
		return facts(*got.Content) + " and " + facts(*want)
	case domains == 1:
		if has := got.Matrix != nil; has != (c.Rank() == 0) || got.Dist != nil {
			return "who has the matrix"
		}
		if got.Matrix != nil && !sameMatrix(got.Matrix, m) {
			return "Matrix"
		}
		return ""
	}
	d, err := dist.CutMatrix(m, domains)
	a := got.Dist
	rows, columns := a.Sides()
	if err != nil || !slices.Equal(rows.Start, d.Start) || columns.Rows() != int64(m.Cols) {
		return "Start"
	}
	column := func(at, j int32) bool {
		square := a.Global(int(at))
		domain := a.Domains.Of(square)
		return columns.Start[domain]+square-a.Domains.Start[domain] == int64(j)
	}
	if a.N != int64(max(m.Rows, m.Cols)) || a.NNZ != int64(m.NNZ()) || a.Local.Validate() != nil {
		return "the matrix of a rank"
	}
	for _, p := range a.Parts {
		first := int(rows.Start[p.Domain])
		for i := range p.Own {
			cols, vals := a.Local.Row(p.First() + i)
			var wantCols []int32 // of rows that fill up the domain
			var wantVals []float64
			if first+i < int(rows.Start[p.Domain+1]) {
				wantCols, wantVals = m.Row(first + i)
			}
			if !sameBits(vals, wantVals) || !slices.EqualFunc(cols, wantCols, column) {
				return fmt.Sprintf("row %d", first+i)
			}
		}
	}
	return ""
}

func sameMatrix(a, b *csr.Matrix) bool {
	return slices.Equal(a.RowPtr, b.RowPtr) && slices.Equal(a.Col, b.Col) && sameBits(a.Val, b.Val)
}

// Everything that is read or refused, on any number of ranks (Concurrent).
func TestConcurrentRanksReadTexts(t *testing.T) {
	rankCounts, domainCounts, pieces := []int{1, 2, 3, 5}, []int{1, 2, 3}, []int{1, 5, 0}
	if testing.Short() {
		rankCounts, domainCounts, pieces = []int{1, 3}, []int{1, 2}, []int{1, 5}
	}
	for _, c := range append(texts(t, "accepted.tsv"), texts(t, "rejected.tsv")...) {
		path := tempFile(t, "x.mtx", []byte(c.text))
		for _, ranks := range rankCounts {
			for _, domains := range domainCounts {
				for _, piece := range pieces {
					t.Run(fmt.Sprintf("%s, %d ranks, %d domains, %d", c.name, ranks, domains, piece), func(t *testing.T) {
						sameOnRanks(t, path, ranks, domains, Options{Threads: 2, pieceSize: piece})
					})
				}
			}
		}
	}
}

func TestConcurrentRanksReadConformanceFiles(t *testing.T) {
	dir := sharedDir(t, "conformance")
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(index)) {
		name, _, _ := strings.Cut(line, "\t")
		if strings.HasPrefix(name, "#") {
			continue
		}
		for _, ranks := range []int{1, 2, 3} {
			for _, domains := range []int{1, 2} {
				t.Run(fmt.Sprintf("%s, %d ranks, %d domains", name, ranks, domains), func(t *testing.T) {
					sameOnRanks(t, filepath.Join(dir, name), ranks, domains, Options{pieceSize: 7})
					sameOnRanks(t, filepath.Join(dir, name), ranks, domains, Options{})
				})
			}
		}
	}
}

// Random files, legal and spoiled.
func TestConcurrentRanksReadRandomFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	tries := 300
	if testing.Short() {
		tries = 100
	}
	for n := range tries {
		s := randomFile(rng)
		if n%3 == 1 { // spoil it
			k := rng.IntN(len(s))
			s = s[:k] + string("x%\n-9 e"[rng.IntN(7)]) + s[k+1:]
		}
		path := tempFile(t, "x.mtx", []byte(s))
		for _, ranks := range []int{2, 3, 5} {
			domains := []int{2, 3, 8}[rng.IntN(3)]
			sameOnRanks(t, path, ranks, domains, Options{Threads: 1 + rng.IntN(3), pieceSize: 1 + rng.IntN(60), KeepZeros: rng.IntN(3) == 0})
		}
		if t.Failed() {
			t.Fatalf("try %d:\n%s", n, s)
		}
	}
}

// Many rows and entries: several workers a rank, sums of duplicates that depend on their order, and domains that are cut anew since entries go away.
func TestConcurrentRanksReadManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	n, entries := 3000, 40000
	if testing.Short() {
		n, entries = 1000, 5000
	}
	for _, symmetry := range []string{"general", "symmetric", "skew-symmetric"} {
		var b strings.Builder
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n", symmetry, n, n, entries)
		for range entries {
			i, j := rng.IntN(n), min(rng.IntN(n), rng.IntN(n))/(1+rng.IntN(9))
			if symmetry != "general" {
				i, j = max(i, j), min(i, j)
			}
			fmt.Fprintf(&b, "%d %d %g\n", i+1, j+1, rng.NormFloat64())
		}
		path := tempFile(t, "x.mtx", []byte(b.String()))
		for _, ranks := range []int{1, 2, 3, 5} {
			for _, domains := range []int{2, 3, 8} {
				sameOnRanks(t, path, ranks, domains, Options{Threads: 3, pieceSize: 4000})
			}
		}
	}
}

// Compressed files and standard input come through rank 0.
func TestConcurrentRanksReadThroughOne(t *testing.T) {
	text := diagonalFile(50)
	path := tempFile(t, "x.mtx.gz", zipped(t, text))
	for _, ranks := range []int{2, 3} {
		sameOnRanks(t, path, ranks, 4, Options{})
	}
	want := mustRead(t, text, Options{})
	dist.Run(3, func(c dist.Comm) {
		got, err := ReadDistributed(context.Background(), c, "-", DistributedOptions{Stdin: strings.NewReader(text), Domains: 4})
		if err != nil || got.How != "by rank 0: standard input" {
			t.Errorf("%v, %+v", err, got)
			return
		}
		if diff := differenceOnRanks(c, got, want, want.Matrix, 4); diff != "" {
			t.Errorf("%s differs", diff)
		}
	})
}

// Of a share beyond what is compared as a whole a sample is compared, which has both ends.
func TestSampleOfShare(t *testing.T) {
	text := bytes.Repeat([]byte("1 1 1\n"), sampled/2)
	of := func(text []byte, rank int) []byte {
		sum, err := sample(bytes.NewReader(text), int64(len(text)), rank, 2)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	for _, at := range []int{0, len(text)/2 - 1, len(text) / 2, len(text) - 1} {
		other := bytes.Clone(text)
		other[at]++
		rank := at / (len(text) / 2)
		if bytes.Equal(of(text, rank), of(other, rank)) || !bytes.Equal(of(text, 1-rank), of(other, 1-rank)) {
			t.Errorf("byte %d of %d changes the wrong sample", at, len(text))
		}
	}
}

// What fails on one rank alone fails on all, with the same words.
func TestConcurrentRanksAgreeOnErrors(t *testing.T) {
	path := tempFile(t, "x.mtx", []byte(diagonalFile(100)))
	missing := filepath.Join(t.TempDir(), "missing.mtx")
	other, empty := tempFile(t, "x.mtx", []byte(diagonalFile(101))), tempFile(t, "x.mtx", nil)
	copied := tempFile(t, "x.mtx", []byte(strings.Replace(diagonalFile(100), "\n50 50 ", "\n50 51 ", 1)))
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name string
		read func(c dist.Comm) error
		want string
		is   func(err error) bool
	}{
		{
			"missing on one", func(c dist.Comm) error {
				p := path
				if c.Rank() == 1 {
					p = missing
				}
				_, err := ReadDistributed(context.Background(), c, p, DistributedOptions{Domains: 3})
				return err
			}, "rank 1: open " + missing + ": no such file or directory (all ranks read a plain file: it must be on a file system that they share)",
			func(err error) bool { var at *fs.PathError; return errors.As(err, &at) && at.Op == "open" },
		},
		{"another file on one", func(c dist.Comm) error {
			p := path
			if c.Rank() == 2 {
				p = other
			}
			_, err := ReadDistributed(context.Background(), c, p, DistributedOptions{Domains: 3})
			return err
		}, "rank 2: " + other + ": the file is not the one that rank 0 has opened", func(error) bool { return true }},
		{"empty on one", func(c dist.Comm) error {
			p := path
			if c.Rank() == 1 {
				p = empty
			}
			_, err := ReadDistributed(context.Background(), c, p, DistributedOptions{Domains: 3})
			return err
		}, "rank 1: " + empty + ": the file is not the one that rank 0 has opened: ", func(error) bool { return true }},
		{"another digit on one", func(c dist.Comm) error {
			p := path
			if c.Rank() == 1 {
				p = copied
			}
			_, err := ReadDistributed(context.Background(), c, p, DistributedOptions{Domains: 3})
			return err
		}, path + ": rank 1 sees another file of this name and size than rank 0", func(error) bool { return true }},
		{"canceled on one", func(c dist.Comm) error {
			ctx := context.Background()
			if c.Rank() == 1 {
				ctx = canceled
			}
			_, err := ReadDistributed(ctx, c, path, DistributedOptions{Domains: 3})
			return err
		}, context.Canceled.Error(), func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"too little memory on one", func(c dist.Comm) error {
			opt := Options{}
			if c.Rank() == 1 {
				opt.MaxMemory = 800
			}
			_, err := ReadDistributed(context.Background(), c, path, DistributedOptions{Options: opt, Domains: 3})
			return err
		}, "rank 1: " + path + ": too large: a part of a 100 x 100 matrix with 100 entries, one of 3 would take", func(err error) bool { return errors.Is(err, ErrTooLarge) }},
		{"refused by rank 0", func(c dist.Comm) error {
			opt := Options{Check: func(Header, int, int) error { return errBroken }}
			_, err := ReadDistributed(context.Background(), c, path, DistributedOptions{Options: opt, Domains: 3})
			if c.Rank() == 0 && err != errBroken {
				t.Errorf("rank 0 has %v, want the very error", err)
			}
			return err
		}, errBroken.Error(), func(error) bool { return true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dist.Run(3, func(comm dist.Comm) {
				err := c.read(comm)
				if err == nil || !strings.HasPrefix(err.Error(), c.want) || !c.is(err) {
					t.Errorf("rank %d: %v, want %s", comm.Rank(), err, c.want)
				}
			})
		})
	}
}

// FuzzReadDistributed has ranks read what one process reads.
func FuzzReadDistributed(f *testing.F) {
	for _, c := range append(texts(f, "accepted.tsv"), texts(f, "rejected.tsv")...) {
		f.Add([]byte(c.text), uint8(3), uint8(2))
	}
	f.Fuzz(func(t *testing.T, data []byte, piece, ranks uint8) {
		if bytes.IndexByte(data, 0) >= 0 {
			return
		}
		path := tempFile(t, "x.mtx", data)
		sameOnRanks(t, path, 1+int(ranks)%4, 1+int(ranks)/4%5, Options{Threads: 1, MaxMemory: 1 << 22, pieceSize: int(piece) + 1})
	})
}

// Columns come to the owners of their rows, whatever the file is like; errors are those of one process (Concurrent).
func TestConcurrentRanksReadColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	complex := 0
	for n := range 60 {
		rows, cols := 1+rng.IntN(40), rng.IntN(4)
		var b strings.Builder
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix array %s general\n%d %d\n", []string{"real", "integer"}[n%2], rows, cols)
		for range rows * cols {
			fmt.Fprintf(&b, "%d\n", rng.IntN(1000))
		}
		s := b.String()
		switch n % 6 {
		case 3: // spoil it
			k := rng.IntN(len(s))
			s = s[:k] + string("x%\n-9 e"[rng.IntN(7)]) + s[k+1:]
		case 4:
			s = fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d 1 1\n%d 1 5\n", rows, rows)
		case 5:
			s = regexp.MustCompile(`(?m)^(\d+)$`).ReplaceAllString(strings.Replace(s, "array integer", "array complex", 1), "$1 -$1")
		}
		path := tempFile(t, "b.mtx", []byte(s))
		opt := Options{Threads: 2, pieceSize: 1 + rng.IntN(30)}
		want, wantErr := ReadFile(context.Background(), path, opt)
		if n%12 == 5 { // takes complex columns
			opt.RealForm = func(m *csr.Matrix, _ []float64) (*csr.Matrix, error) { return m, nil }
		}
		var columns [][]float64
		if wantErr == nil && opt.RealForm != nil {
			re, im, err := want.ComplexColumns()
			columns, wantErr, complex = slices.Concat(re, im), err, complex+cols
		} else if wantErr == nil {
			if columns, wantErr = want.Columns(); wantErr != nil {
				wantErr = &Error{File: path, Msg: wantErr.Error()}
			}
		}
		if wantErr == nil && want.Rows != rows {
			continue // an error of the caller's check
		}
		for _, ranks := range []int{1, 2, 3, 5} {
			d, err := dist.Cut(int64(rows), 1+rng.IntN(min(4, rows)), func(i int64) int64 { return i })
			if err != nil {
				t.Fatal(err)
			}
			dist.Run(ranks, func(c dist.Comm) {
				content, own, err := ReadColumnsDistributed(context.Background(), c, path, DistributedOptions{Options: opt}, d)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("rank %d of %d: %v, want %v\n%s", c.Rank(), ranks, err, wantErr, s)
				}
				if err != nil || wantErr != nil {
					return
				}
				if c.Rank() == 0 && !slices.Equal(content.Warnings, want.Warnings) || len(own) != len(columns) {
					t.Errorf("rank %d of %d: %d columns, %v", c.Rank(), ranks, len(own), content.Warnings)
					return
				}
				lo, hi := d.Owned(c.Rank(), ranks)
				for k, x := range own {
					if !slices.Equal(x, columns[k][d.Start[lo]:d.Start[hi]]) {
						t.Errorf("rank %d of %d has other elements of column %d", c.Rank(), ranks, k)
					}
				}
			})
		}
	}
	if complex == 0 {
		t.Error("no complex columns were read")
	}
}
