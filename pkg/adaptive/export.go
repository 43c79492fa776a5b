package adaptive

import "github.com/mpsolve/mpsolve/pkg/formats"

// Bucket is the elements of one format in the layout Bucketed, as CSR.
type Bucket struct {
	Codec   formats.Codec
	ByTheta bool     // values are multiples of the row's theta
	RowPtr  []uint32 // one more than rows
	Col     []int32
	Values  []byte // in the codec's words, formats.Padding bytes longer than they are
}

// Buckets returns the elements in the order in which products add them within a row,
// first all that are stored by theta; nil unless the layout is Bucketed. The slices are
// the matrix's.
func (a *Matrix) Buckets() []Bucket {
	var list []Bucket
	for _, byTheta := range [...]bool{true, false} {
		for _, b := range a.buckets {
			if b.byTheta == byTheta {
				list = append(list, Bucket{b.codec, b.byTheta, b.rowPtr, b.col, b.val})
			}
		}
	}
	return list
}

// Units returns theta and the exponent e of each row, or of all rows alike: row i of a
// matrix in the layout Bucketed is 2^e_i times its buckets, those by theta times theta_i.
// The slices are the matrix's.
func (a *Matrix) Units() (theta []float64, exp []int32) { return a.tol.theta, a.tol.exp }
