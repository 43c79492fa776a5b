package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// onJob runs f on ranks that are goroutines.
func onJob(size int, f func(j *job)) {
	dist.Run(size, func(c dist.Comm) { f(&job{comm: dist.NewTimed(c), ranks: make([]profile, size)}) })
}

// columnsOf returns random columns, and the text of an array with these columns.
func columnsOf(t *testing.T, rows, cols int) (all [][]float64, text string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	x := make([]float64, rows*cols)
	for i := range x {
		x[i] = rng.NormFloat64()
		if rng.IntN(3) == 0 {
			x[i] = float64(rng.IntN(100))
		}
	}
	var b bytes.Buffer
	if err := matrixmarket.WriteDense(&b, rows, cols, x, nil, matrixmarket.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for ; len(x) > 0; x = x[rows:] {
		all = append(all, x[:rows])
	}
	return all, b.String()
}

// own returns the rows of a rank when rows are distributed evenly.
func own(j *job, all [][]float64) (part [][]float64) {
	rows := len(all[0])
	for _, x := range all {
		part = append(part, x[rows*j.rank()/j.size():rows*(j.rank()+1)/j.size()])
	}
	return part
}

// A file has the same bytes in every way of writing, and no other file is left (Concurrent).
func TestConcurrentRanksWriteX(t *testing.T) {
	sizes := [][2]int{{1, 1}, {10, 2}, {100_000, 1}, {40_000, 3}}
	if testing.Short() {
		sizes = [][2]int{{1, 1}, {10, 2}, {40_000, 1}}
	}
	for _, size := range sizes {
		all, real := columnsOf(t, size[0], size[1])
		var complex bytes.Buffer
		if x := slices.Concat(all...); matrixmarket.WriteDense(&complex, size[0], size[1], x, negative(x), matrixmarket.WriteOptions{}) != nil {
			t.Fatal("no complex text")
		}
		for _, ranks := range []int{1, 2, 3, 5} {
			for _, name := range []string{"x.mtx", "x.mtx.gz", "complex.mtx", "complex.mtx.gz"} {
				opt, want := matrixmarket.WriteOptions{}, real
				if strings.HasPrefix(name, "complex") {
					opt.Pairs, want = true, complex.String()
				}
				dir := t.TempDir()
				path := filepath.Join(dir, name)
				onJob(ranks, func(j *job) {
					mine := own(j, all)
					for k, x := range mine {
						if opt.Pairs {
							mine[k] = matrixio.Unknowns(x, negative(x))
						}
					}
					if at, err := j.writeX(context.Background(), path, int64(size[0]), mine, opt); at != path || err != nil {
						t.Errorf("rank %d: %s, %v", j.rank(), at, err)
					}
				})
				got, err := os.ReadFile(path)
				if err == nil && strings.HasSuffix(name, ".gz") {
					got, err = unzipped(got)
				}
				if err != nil || string(got) != want {
					t.Errorf("%v, %d ranks, %s: other bytes (%v)", size, ranks, name, err)
				}
				if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
					t.Errorf("%v in the folder (%v)", list, err)
				}
			}
		}
	}
}

func negative(x []float64) (y []float64) {
	for _, v := range x {
		y = append(y, -v)
	}
	return y
}

func unzipped(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// A full disk of one rank, or a missing folder, is an error of all ranks. No file is left, and x is elsewhere (Concurrent).
func TestConcurrentRanksFailToWriteX(t *testing.T) {
	all, want := columnsOf(t, 1000, 1)
	t.Setenv("TMPDIR", t.TempDir())
	for _, path := range []string{filepath.Join(t.TempDir(), "missing", "x.mtx"), "/dev/full"} {
		if _, err := os.Stat(path); path == "/dev/full" && err != nil {
			continue
		}
		onJob(3, func(j *job) {
			at, err := j.writeX(context.Background(), path, 1000, own(j, all), matrixmarket.WriteOptions{})
			if err == nil || !strings.HasPrefix(err.Error(), "writing "+path+": ") || !strings.HasSuffix(err.Error(), "; x is in "+at+" instead") {
				t.Errorf("rank %d: %s, %v", j.rank(), at, err)
			}
			j.comm.Barrier()
			if got, err := os.ReadFile(at); err != nil || string(got) != want {
				t.Errorf("%s has other bytes (%v)", at, err)
			}
		})
	}
	submitted := t.TempDir()
	t.Setenv("PBS_O_WORKDIR", submitted)
	onJob(2, func(j *job) {
		if at, err := j.writeX(context.Background(), filepath.Join(submitted, "missing", "x.mtx"), 1000, own(j, all), matrixmarket.WriteOptions{}); filepath.Dir(at) != submitted || err == nil {
			t.Errorf("rank %d: %s, %v: want a file in the folder that the job was submitted from", j.rank(), at, err)
		}
	})
	dir := t.TempDir()
	onJob(3, func(j *job) {
		f, err := os.Create(filepath.Join(dir, fmt.Sprint(j.rank())))
		if err != nil {
			t.Error(err)
			return
		}
		if j.rank() == 2 {
			f.Close() // makes writes fail
		}
		defer f.Close()
		err = matrixmarket.WriteDenseAt(j.comm, pathless{f}, 1000, own(j, all), matrixmarket.WriteOptions{})
		if err == nil || !errors.Is(err, os.ErrClosed) && err.Error() != "rank 2: file already closed" {
			t.Errorf("rank %d: %v", j.rank(), err)
		}
	})
}

// Ranks read the same right-hand sides and guesses as one process, with the same errors (Concurrent).
func TestConcurrentRanksReadVectors(t *testing.T) {
	m, err := generate.Generate("poisson2d", generate.Params{"n": 10})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	_, three := columnsOf(t, 100, 3)
	_, one := columnsOf(t, 100, 1)
	_, short := columnsOf(t, 99, 1)
	b3, b1, bShort := write("b3.mtx", three), write("b1.mtx", one), write("short.mtx", short)
	bNaN := write("nan.mtx", strings.Replace(three, "\n100 3\n", "\n100 3\nnan\n", 1))
	for _, p := range []problemFlags{
		{rhs: "ones"},
		{rhs: b3},
		{rhs: b1, guess: b1},
		{rhs: b3, guess: b1},
		{rhs: b3, guess: b3},
		{rhs: bShort},
		{rhs: b1, guess: bShort},
		{rhs: b1, guess: b3},
		{rhs: bNaN},
		{rhs: "missing.mtx"},
	} {
		f := solveFlags{problemFlags: p}
		in := input{streams: streams{in: strings.NewReader(""), err: io.Discard}}
		wantB, wantX, wantErr := f.readVectors(context.Background(), in, 100, 100)
		onJob(3, func(j *job) {
			a, err := dist.Spread(j.comm, m, 4)
			if err != nil {
				t.Error(err)
				return
			}
			b, x0, err := f.readDistributedVectors(context.Background(), j, in, a)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || exitCode(err) != exitCode(wantErr) {
				t.Errorf("%s, %s: %v, want %v", f.rhs, f.guess, err, wantErr)
			}
			if err != nil || wantErr != nil {
				return
			}
			from := int(a.Parts[0].Row)
			part := func(whole [][]float64) (own [][]float64) {
				for _, x := range whole {
					if x != nil {
						x = x[from : from+a.Own]
					}
					own = append(own, x)
				}
				return own
			}
			if !slices.EqualFunc(b, part(wantB), slices.Equal) || !slices.EqualFunc(x0, part(wantX), slices.Equal) {
				t.Errorf("rank %d has other elements of %s, %s", j.rank(), f.rhs, f.guess)
			}
		})
	}
}

// Errors of a matrix that ranks read have the words and exit codes of one process (Concurrent).
func TestConcurrentRanksReadMatrix(t *testing.T) {
	good := filepath.Join("..", "..", "testdata", "poisson2d_20.mtx")
	bad := filepath.Join(t.TempDir(), "bad.mtx")
	if err := os.WriteFile(bad, []byte("%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n3 4 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{good, bad, "missing.mtx", t.TempDir()} {
		in := input{streams: streams{in: strings.NewReader(""), err: io.Discard}}
		want, wantErr := in.matrix(context.Background(), path)
		onJob(3, func(j *job) {
			v, err := in.distributed(context.Background(), j, path, 2)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || exitCode(err) != exitCode(wantErr) {
				t.Errorf("rank %d: %v (%d), want %v (%d)", j.rank(), err, exitCode(err), wantErr, exitCode(wantErr))
			}
			if err == nil && (v.Dist == nil || v.Dist.NNZ != int64(want.NNZ())) {
				t.Errorf("rank %d has %+v", j.rank(), v)
			}
		})
	}
}
