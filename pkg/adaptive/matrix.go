package adaptive

import (
	"fmt"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Matrix is a sparse matrix in adaptive precision, in one of the Layouts. It is an operator
// on host vectors whose results have the same bits for any number of threads. Use it from
// one goroutine at a time.
//
// A NaN or an infinity in the vector makes NaN or infinities of all rows that have its column. Where blocks of several rows are
// filled up with zeros, as in BCRS4x1 and in slots, it may spoil the other rows of a block as well.
type Matrix interface {
	linop.Relaxer[[]float64, linop.Float64]
	linop.MultiOperator
	linop.SeveralOperator

	// DD returns the matrix, as it is stored, as an operator on double-double vectors; nothing is copied. If it is a
	// linop.Transposer as well, it multiplies with the transpose. The error of an element of a product is at most
	// (n+2)² u² (|A| |x|)_i for n stored elements of a row, u = 2^-53, if nothing over- or underflows: A is the stored matrix,
	// whose own error is Tolerance. It is an error if the layout has no such products.
	DD() (linop.Operator[dd.Vec, dd.DD], error)
	// DDRenormalised is DD with sums that are renormalised at each addition, as DD-AVX does: slower, and no more accurate. It
	// is for the layouts CSR and SELL8.
	DDRenormalised() (linop.Operator[dd.Vec, dd.DD], error)
	// Transposed returns the product dst = A^T src. CSR makes A^T, which is kept; BCRS4x1 multiplies by the stored matrix. It is
	// an error if the layout has no such product.
	Transposed() (func(dst, src []float64), error)
	Products() linop.Products // by panels of rows, for an operator of which the matrix is a part

	Stats() Stats            // formats, counts and bytes
	Bytes() int64            // the memory of the stored matrix, indices included
	Tolerance(i int) float64 // theta_i, the absolute error that elements of row i may carry
	Layout() Layout
	LayoutText() string // the layout, why it was chosen, and the memory that products need besides, if any

	// Buckets returns the elements in the order in which products add them within a row, first all that are stored by theta;
	// nil unless the layout is Bucketed. The slices are the matrix's.
	Buckets() []Bucket
	// Units returns theta and the exponent e of each row, or of all rows alike: row i of a matrix in the layout Bucketed is
	// 2^e_i times its buckets, those by theta times theta_i. The slices are the matrix's.
	Units() (theta []float64, exp []int32)
}

// matrix implements Matrix.
type matrix struct {
	operator
	products linop.Products // of operator
	tol      *packed.Tolerances
	fp64     bool // choice.layout.FP64()
	choice   choice
	stats    Stats
	stored   stored

	panels  []int // of products
	pool    *parallel.Pool
	kernels *kernels.Set
}

// operator has the products of a Matrix.
type operator interface {
	linop.Relaxer[[]float64, linop.Float64]
	ApplyMulti(dst, src *linop.MultiVector)
	Several(products []linop.Product)
}

var _ Matrix = (*matrix)(nil)

// stored is a matrix in one of the layouts.
type stored interface {
	bytes() int64 // of memory, the units of rows left out
}

// newMatrix returns a matrix whose products go through the panels of b.
func newMatrix[S interface {
	stored
	linop.Rows
}](b *builder, c choice, s S,
) *matrix {
	products := linop.NewProducts(s, b.panels, b.pool)
	kernels.Use(products, b.kernels)
	return &matrix{operator: products, products: products, tol: b.part.Tol, fp64: c.layout.FP64(), choice: c, stored: s, panels: b.panels, pool: b.pool, kernels: b.kernels}
}

// Products implements Matrix.
func (a *matrix) Products() linop.Products { return a.products }

// Stats implements Matrix.
func (a *matrix) Stats() Stats { return a.stats }

// Layout implements Matrix.
func (a *matrix) Layout() Layout { return a.choice.layout }

// LayoutText implements Matrix.
func (a *matrix) LayoutText() string {
	if work := a.stats.Work; work > 0 {
		return fmt.Sprintf("%s; %d bytes of partial sums", a.choice, work)
	}
	return a.choice.String()
}

// Bytes implements Matrix.
func (a *matrix) Bytes() int64 { return a.stats.Scales + a.stored.bytes() }

// Tolerance implements Matrix.
func (a *matrix) Tolerance(i int) float64 {
	if a.fp64 {
		return 0
	}
	return a.tol.Tolerance(i)
}

// Whole describes the matrix of which a part is stored, in the layout that suits this part. Values are stored as in the whole
// matrix, with its diagonal.
type Whole struct {
	Norm     int64 // the largest of the parts' norms, as [NormOf] returns them
	Parts    int   // how many there are; the panels of each are the larger the more there are
	Diagonal int   // the column, in this part, of the diagonal element of its first row
}

// NormOf returns the norm of a part, encoded as an integer that rises with it. It is an error if an element is not finite.
func NormOf(part *csr.Matrix, s Spec, pool *parallel.Pool) (int64, error) {
	norm, err := packed.NewNorm(part, s.quantization(), csr.Panels(part), pool)
	return int64(norm), err
}

// panelsOf is the least number of panels of slots, if the matrix has so many: fewer in each of many parts.
func (s *Spec) panelsOf() int {
	if s.Whole == nil {
		return leastPanels
	}
	return max(leastPanels/max(s.Whole.Parts, 1), leastOfPart)
}

// builder makes a Matrix: the elements become integers or values of formats, a layout is
// chosen, and the layout stores them.
type builder struct {
	m       *csr.Matrix
	spec    Spec
	kernels *kernels.Set // that the spec names
	model   *Model
	part    *packed.Partition
	panels  []int
	pool    *parallel.Pool
	old     *slotMatrix // whose memory may be used

	// Of a matrix that may be symmetric as it is stored: what to build if it is not, and what tells.
	mirrored  bool
	otherwise func() choice
	weights   weights
	mirror    uint64
}

func newBuilder(m *csr.Matrix, s Spec, pool *parallel.Pool) (*builder, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	panels := csr.Panels(m)
	q := s.quantization()
	part, err := packed.NewPartition(m, q, panels, pool)
	if err != nil {
		return nil, err
	}
	model := s.Model
	if model == nil {
		model = ModelOf(s.Kernels)
	}
	return &builder{m: m, spec: s, kernels: q.Kernels.Or(), model: model, part: part, panels: panels, pool: pool}, nil
}

// Build stores m as the spec says, on the threads of pool. It is an error if
// the spec is faulty, an element is not finite, or a uniform format does not
// have the range that the elements need.
func Build(m *csr.Matrix, s Spec, pool *parallel.Pool) (Matrix, error) {
	return rebuild(nil, m, s, pool)
}

// rebuild is Build in the memory of a matrix that is no longer needed, as far as
// that is of use; old is not valid afterwards.
func rebuild(old Matrix, m *csr.Matrix, s Spec, pool *parallel.Pool) (Matrix, error) {
	b, err := newBuilder(m, s, pool)
	if err != nil {
		return nil, err
	}
	if old != nil {
		of := old.(*matrix)
		b.old = of.slots()
		of.stored = nil
	}
	return b.build(b.choose())
}

// build stores the matrix as chosen.
func (b *builder) build(c choice) (Matrix, error) {
	if b.spec.Layout == LayoutAuto && c.layout.FP64() {
		return b.buildFP64(c)
	}
	return c.layout.row().build(b, c)
}
