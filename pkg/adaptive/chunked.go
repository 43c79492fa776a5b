package adaptive

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Layouts in FP64 of several rows at once, SELL8 and BCRS4x1, for double-double vectors above all: each number of the
// matrix takes twelve operations there, so that what is left to gain is in the instructions around them.

// wholePanels are the panels of the matrix with bounds that are multiples of `rows`.
func (b *builder) wholePanels(rows int) []int {
	bounds := []int{0}
	for _, hi := range b.panels[1:] {
		if hi = min((hi+rows-1)/rows*rows, b.m.Rows); hi > bounds[len(bounds)-1] {
			bounds = append(bounds, hi)
		}
	}
	return bounds
}

// sell8Matrix is a matrix in SELL8.
type sell8Matrix struct {
	unprepared
	kernels    *kernels.Set
	rows, cols int
	kernels.SELL8
	normal bool // products with double-double vectors renormalise sums at each addition
}

func (b *builder) sell8(c choice) (Matrix, error) {
	start, err := b.sell8Start()
	if err != nil {
		return nil, err
	}
	s := &sell8Matrix{kernels: b.kernels, rows: b.m.Rows, cols: b.m.Cols, SELL8: kernels.EmptySELL8(start)}
	b.panels = b.wholePanels(kernels.Lanes)
	b.pool.RunRanges(b.panels, func(_, lo, hi int) { s.Fill(lo, hi, b.m.RowPtr, b.m.Col, b.m.Val) })
	a := newMatrix(b, c, s)
	a.stats = b.plainStats(s.bytes())
	return a, nil
}

func (s *sell8Matrix) Dims() (rows, cols int) { return s.rows, s.cols }

func (s *sell8Matrix) bytes() int64 { return int64(8*len(s.Start) + 4*len(s.Col) + 8*len(s.Val)) }

// part is the rows lo to hi-1.
func (s *sell8Matrix) part(lo, hi int) kernels.SELL8 {
	return kernels.SELL8{Start: s.Start[lo/kernels.Lanes : (hi+kernels.Lanes-1)/kernels.Lanes+1], Col: s.Col, Val: s.Val}
}

func (s *sell8Matrix) MulRows(dst []float64, _, lo, hi int, x []float64) {
	s.kernels.SELL8MulVec(dst[lo:hi], s.part(lo, hi), x)
}

// Together implements linop.RowsMulti.
func (s *sell8Matrix) Together(k int, interleaved bool) bool { return interleaved || k > 2 }

// MulRowsMulti implements linop.RowsMulti.
func (s *sell8Matrix) MulRowsMulti(dst []float64, k, _, lo, hi int, x []float64) {
	s.kernels.SELL8MulMulti(dst, k, s.part(lo, hi), x)
}

// MulRowsDD implements linop.RowsDD.
func (s *sell8Matrix) MulRowsDD(dst dd.Vec, _, lo, hi int, x dd.Vec) {
	s.kernels.SELL8MulVecDD(dst.Slice(lo, hi), s.part(lo, hi), x, s.normal)
}

// bcrsMatrix is a matrix in BCRS4x1.
type bcrsMatrix struct {
	unprepared
	kernels    *kernels.Set
	rows, cols int
	kernels.BCRS
	pool  *parallel.Pool
	parts []kernels.BCRSPart // of products with the transpose, nil before the first one
}

func (b *builder) bcrs(c choice) (Matrix, error) {
	start, err := b.bcrsStart()
	if err != nil {
		return nil, err
	}
	s := &bcrsMatrix{kernels: b.kernels, rows: b.m.Rows, cols: b.m.Cols, BCRS: kernels.EmptyBCRS(start), pool: b.pool}
	b.panels = b.wholePanels(kernels.BCRSRows)
	b.pool.RunRanges(b.panels, func(_, lo, hi int) { s.Fill(lo, hi, b.m.RowPtr, b.m.Col, b.m.Val) })
	a := newMatrix(b, c, s)
	a.stats = b.plainStats(s.bytes())
	return a, nil
}

func (s *bcrsMatrix) Dims() (rows, cols int) { return s.rows, s.cols }

func (s *bcrsMatrix) bytes() int64 { return int64(8*len(s.Start) + 4*len(s.Col) + 8*len(s.Val)) }

// part is the rows lo to hi-1.
func (s *bcrsMatrix) part(lo, hi int) kernels.BCRS {
	return kernels.BCRS{Start: s.Start[lo/kernels.BCRSRows : (hi+kernels.BCRSRows-1)/kernels.BCRSRows+1], Col: s.Col, Val: s.Val}
}

func (s *bcrsMatrix) MulRows(dst []float64, _, lo, hi int, x []float64) {
	s.kernels.BCRSMulVec(dst[lo:hi], s.part(lo, hi), x)
}

// Together implements linop.RowsMulti.
func (s *bcrsMatrix) Together(k int, interleaved bool) bool { return interleaved || k > 2 }

// MulRowsMulti implements linop.RowsMulti.
func (s *bcrsMatrix) MulRowsMulti(dst []float64, k, _, lo, hi int, x []float64) {
	s.kernels.BCRSMulMulti(dst, k, s.part(lo, hi), x)
}

// MulRowsDD implements linop.RowsDD.
func (s *bcrsMatrix) MulRowsDD(dst dd.Vec, _, lo, hi int, x dd.Vec) {
	s.kernels.BCRSMulVecDD(dst.Slice(lo, hi), s.part(lo, hi), x)
}

// columnParts are the columns in as many parts as there are threads, of about as many blocks each.
func (s *bcrsMatrix) columnParts() []kernels.BCRSPart {
	if s.parts != nil {
		return s.parts
	}
	count := make([]int, s.cols)
	for _, j := range s.Col {
		count[j]++
	}
	bounds, threads, seen := []int{0}, s.pool.Threads(), 0
	for j, n := range count {
		if seen += n; seen*threads >= len(s.Col)*len(bounds) && len(bounds) < threads {
			bounds = append(bounds, j+1)
		}
	}
	s.parts = s.Parts(append(bounds, s.cols))
	return s.parts
}

// applyT and applyTDD compute dst = A^T src: each thread has elements of dst of its own, so that there are no vectors of
// partial sums, and results have the same bits for any number of threads.
func (s *bcrsMatrix) applyT(dst, src []float64) {
	parts := s.columnParts()
	s.pool.Each(len(parts), func(k int) { s.kernels.BCRSMulVecT(dst, s.BCRS, parts[k], src) })
}

func (s *bcrsMatrix) applyTDD(dst, src dd.Vec) {
	parts := s.columnParts()
	s.pool.Each(len(parts), func(k int) { s.kernels.BCRSMulVecTDD(dst, s.BCRS, parts[k], src) })
}

// bcrsProductsDD are the products of a bcrsMatrix with double-double vectors.
type bcrsProductsDD struct {
	linop.Operator[dd.Vec, dd.DD]
	rows *bcrsMatrix
}

var _ linop.Transposer[dd.Vec, dd.DD] = bcrsProductsDD{}

// ApplyT computes dst = A^T src.
func (p bcrsProductsDD) ApplyT(dst, src dd.Vec) { p.rows.applyTDD(dst, src) }

// ErrMemory is wrapped by errors about a layout that takes more than Spec.MaxBytes, of which nothing has been allocated.
var ErrMemory = errors.New("memory limit too low")

// fits returns an error if a layout, filled up with zeros, takes too many bytes: SELL8 takes up to eight times the bytes of the elements.
func (b *builder) fits(l Layout, bytes int64) error {
	if most := b.spec.MaxBytes; most > 0 && bytes > most {
		return fmt.Errorf("%w: layout %s takes %s, and there is %s for it", ErrMemory, l, humanize.Bytes(uint64(bytes)), humanize.Bytes(uint64(most)))
	}
	return nil
}

// sell8Start returns where chunks begin in SELL8, or why there are none.
func (b *builder) sell8Start() ([]int64, error) {
	start := kernels.SELL8Start(b.m.RowPtr)
	return start, b.fits(SELL8, kernels.SELL8Bytes(start))
}

// bcrsStart returns where block rows begin in BCRS4x1, or why there are none.
func (b *builder) bcrsStart() ([]int64, error) {
	panels := b.wholePanels(kernels.BCRSRows)
	parts := make([][]int64, len(panels)-1)
	b.pool.RunRanges(panels, func(k, lo, hi int) {
		parts[k] = kernels.CountBCRS(lo, hi, b.m.RowPtr, b.m.Col)
	})
	var counts []int64
	for _, p := range parts {
		counts = append(counts, p...)
	}
	start := kernels.BCRSStart(counts)
	return start, b.fits(BCRS4x1, kernels.BCRSBytes(start))
}
