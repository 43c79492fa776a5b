package gpu

import (
	"errors"
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// bucketedStorage is the papers' layout: one CSR for each format, their arrays joined.
type bucketedStorage struct {
	list, ptr, col, val buffer
	theta, exps         buffer
	rows                int
	shift               uint32 // 2^shift threads a row
	buckets, byTheta    uint32 // all, and the first ones that are stored by theta
	own                 uint32 // 1: theta and exps are each row's own
	stats               adaptive.Stats
	text                string
}

// bucketEntry is the type bucket of source/bucketed.c.
type bucketEntry struct {
	kind, bytes, up, down uint32
	offset, sign          uint64
	quantum               float64
	words                 uint64
	ptr, col              uint32
}

// storeBucketed copies m to a device as spec says, in the layout adaptive.Bucketed, made on
// the threads of pool. Arithmetic is FP64: StorageArithmetic is an error.
func storeBucketed(d *Device, m *csr.Matrix, spec adaptive.Spec, pool *parallel.Pool) (Matrix, error) {
	if spec.StorageArithmetic {
		return nil, errors.New("gpu: arithmetic in the formats of storage is for the host")
	}
	spec.Layout = adaptive.Bucketed
	a, err := adaptive.Build(m, spec, pool)
	if err != nil {
		return nil, err
	}
	return newBucketed(d, a)
}

func newBucketed(d *Device, a adaptive.Matrix) (Matrix, error) {
	rows, cols := a.Dims()
	buckets := a.Buckets()
	nonzeros, bytes := 0, 0
	list := make([]bucketEntry, len(buckets))
	s := &bucketedStorage{rows: rows, buckets: uint32(len(buckets)), stats: a.Stats(), text: a.LayoutText()}
	for k, b := range buckets {
		w := b.Codec.Words()
		list[k] = bucketEntry{
			uint32(w.Kind), uint32(w.Bytes), uint32(w.Up), uint32(w.Down), w.Offset, w.Sign, w.Quantum,
			uint64(bytes), uint32(k * (rows + 1)), uint32(nonzeros),
		}
		if b.ByTheta {
			s.byTheta++
		}
		nonzeros += len(b.Col)
		bytes += withGap(len(b.Col) * w.Bytes)
	}
	if offsets := len(buckets) * (rows + 1); max(nonzeros, offsets) > MostNonzeros {
		return nil, fmt.Errorf("gpu: %d nonzeros and %d row offsets; at most %d of each can be counted", nonzeros, offsets, MostNonzeros)
	}
	s.list = put(d, list)
	s.ptr, s.col, s.val = d.alloc(int64(4*len(buckets)*(rows+1))), d.alloc(int64(4*nonzeros)), d.alloc(int64(bytes))
	for k, b := range buckets {
		e := &list[k]
		upload(d, s.ptr, int(e.ptr), b.RowPtr)
		upload(d, s.col, int(e.col), b.Col)
		values := b.Values[:len(b.Col)*b.Codec.Bytes]
		upload(d, s.val, int(e.words), values)
		upload(d, s.val, int(e.words)+len(values), make([]byte, withGap(len(values))-len(values)))
	}
	theta, exps := a.Units()
	if len(exps) > 1 {
		s.own = 1
	}
	s.theta, s.exps = put(d, theta), put(d, exps)
	s.shift = threadsFor(float64(nonzeros) / float64(max(rows, 1)) / float64(max(len(buckets), 1)))
	return made(d, rows, cols, s)
}

// withGap is the number of bytes that a bucket's words take with the gap before those of the
// next one, which begin at a multiple of 8 bytes: up to 8 bytes after a word are loaded.
func withGap(bytes int) int { return (bytes + 15) / 8 * 8 }

func (s *bucketedStorage) describe() (adaptive.Stats, string) { return s.stats, s.text }

func (s *bucketedStorage) buffers() []*buffer {
	return []*buffer{&s.list, &s.ptr, &s.col, &s.val, &s.theta, &s.exps}
}

func (s *bucketedStorage) blocks() uint32 { return blocksFor(s.rows<<s.shift, rowBlocks) }

func (s *bucketedStorage) multiply(d *Device, p *product) {
	launch(d, s.blocks(), spmvBucketed{
		rows: uint32(s.rows), shift: s.shift, buckets: s.buckets, byTheta: s.byTheta, list: s.list, ptr: s.ptr, col: s.col, val: s.val,
		own: s.own, theta: s.theta, exps: s.exps, product: *p,
	})
}
