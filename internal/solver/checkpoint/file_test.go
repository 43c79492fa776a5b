package checkpoint

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Vectors may have more elements than 32 bits count, in files that have them all.
func TestLongVectors(t *testing.T) {
	for rows, want := range map[int]string{3_000_000_000: "is truncated", 1 << 60: "is damaged"} {
		head, err := headOf(checkpointHeader{identity{Rows: rows}, 0, 1, 1 << 17}, checkpointState{Start: []int64{0, int64(rows)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(bytes.NewReader(head)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d rows: %v, want %s", rows, err, want)
		}
		if _, err := Open(bytes.NewReader(head), int64(len(head))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d rows, opened: %v, want %s", rows, err, want)
		}
	}
}

// file is a file that ranks share. It counts the bytes that they read.
type file struct {
	sync.Mutex
	b    []byte
	read int64
}

func (f *file) WriteAt(b []byte, at int64) (int, error) {
	f.Lock()
	defer f.Unlock()
	if more := int(at) + len(b) - len(f.b); more > 0 {
		f.b = append(f.b, make([]byte, more)...)
	}
	return copy(f.b[at:], b), nil
}

func (f *file) ReadAt(b []byte, at int64) (int, error) {
	f.Lock()
	defer f.Unlock()
	n, err := bytes.NewReader(f.b).ReadAt(b, at)
	f.read += int64(n)
	return n, err
}

// takenOver returns a checkpoint with two vectors of this rank.
func takenOver(t *testing.T, c dist.Comm, m *csr.Matrix) *Taken {
	a, err := dist.Spread(c, m, 7)
	if err != nil {
		t.Error(err)
	}
	k := &Taken{identity: identity{Rows: m.Rows, Domains: 7}, systems: make([]digest, 2), job: &ranks.Job{Matrix: a}, start: a.Domains.Start}
	for v := range 2 {
		var x []float64
		for _, p := range a.Parts {
			for i := range p.Own {
				x = append(x, float64(p.Row)+float64(i)+float64(v)/2)
			}
		}
		k.solved = append(k.solved, solve.Result{X: x})
	}
	return k
}

// Any number of ranks writes the same file, at offsets or through rank 0, and a rank reads its elements and no others (Concurrent).
func TestConcurrentParts(t *testing.T) {
	defer func(n int64) { blockNumbers = n }(blockNumbers)
	blockNumbers = 100
	m := testsupport.Grid(100, 0, 0)
	var want []byte
	dist.Run(1, func(c dist.Comm) {
		var b bytes.Buffer
		if n, err := takenOver(t, c, m).WriteTo(&b); err != nil || n != int64(b.Len()) {
			t.Error(n, err)
		}
		want = b.Bytes()
	})
	for _, size := range []int{1, 2, 3, 5, 9} {
		parts, through := &file{}, bytes.Buffer{}
		dist.Run(size, func(c dist.Comm) {
			k := takenOver(t, c, m)
			if n, err := k.WriteParts(parts); err != nil || n != int64(len(want)) {
				t.Errorf("rank %d of %d: %d bytes, %v", c.Rank(), size, n, err)
			}
			if _, err := k.WriteTo(&through); err != nil {
				t.Error(err)
			}
			k.job.Comm.Barrier()
			own := &file{b: parts.b}
			from, err := Open(own, int64(len(own.b)))
			if err != nil {
				t.Error(err)
				return
			}
			head := own.read
			got, err := from.stored.read(k.job.Domains.Owned(c.Rank(), size))
			for v := range 2 {
				if err != nil || !slices.Equal(got[v], k.solved[v].X) {
					t.Errorf("rank %d of %d: other elements, %v", c.Rank(), size, err)
				}
			}
			share := int64(16 * k.job.Own)
			if most := share + share/20 + 32*int64(len(k.job.Parts)); own.read-head > most {
				t.Errorf("rank %d of %d reads %d bytes for its %d", c.Rank(), size, own.read-head, share)
			}
		})
		if !bytes.Equal(parts.b, want) || !bytes.Equal(through.Bytes(), want) {
			t.Errorf("%d ranks write other bytes", size)
		}
	}
}

// Damage of a block is found by the rank that reads it, and so is a block of another checkpoint or of another place.
func TestDamagedBlocks(t *testing.T) {
	defer func(n int64) { blockNumbers = n }(blockNumbers)
	blockNumbers = 100
	of := func(version string) *file {
		f := &file{}
		dist.Run(1, func(c dist.Comm) {
			k := takenOver(t, c, testsupport.Grid(30, 0, 0))
			k.identity.Program = version
			if _, err := k.WriteParts(f); err != nil {
				t.Error(err)
			}
		})
		return f
	}
	good, other := of("1"), of("2")
	for name, damage := range map[string]func(b []byte, at, sum int64){
		"a bit":              func(b []byte, at, _ int64) { b[at+77] ^= 4 },
		"a checksum":         func(b []byte, _, sum int64) { b[sum+5] ^= 1 },
		"another checkpoint": func(b []byte, at, sum int64) { copy(b[at:at+800], other.b[at:]); copy(b[sum:sum+32], other.b[sum:]) },
		"the next block":     func(b []byte, at, sum int64) { copy(b[at:at+800], b[at+800:]); copy(b[sum:sum+32], b[sum+32:]) },
	} {
		bad := &file{b: bytes.Clone(good.b)}
		k, err := Open(bad, int64(len(bad.b)))
		if err != nil {
			t.Fatal(err)
		}
		damage(bad.b, k.stored.at(3), k.stored.sums(3))
		for domain := range 7 {
			if _, err := k.stored.read(domain, domain+1); (err != nil) != (domain == 3) || err != nil && err.Error() != "is damaged: a checksum is wrong" {
				t.Errorf("%s, domain %d: %v", name, domain, err)
			}
		}
		if _, err := Read(bytes.NewReader(bad.b)); err == nil {
			t.Errorf("%s: read", name)
		}
	}
}
