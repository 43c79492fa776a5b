package solve

import (
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Reorder is the order in which the rows and columns of the matrix are stored.
type Reorder string

// The orders. ReorderAuto takes reverse Cuthill-McKee where a model of the
// products says that it pays.
const (
	ReorderNone Reorder = "none" // as given
	ReorderRCM  Reorder = "rcm"  // reverse Cuthill-McKee, see csr.RCM
	ReorderAuto Reorder = "auto"
)

// Reorders lists all orders.
var Reorders = []Reorder{ReorderNone, ReorderRCM, ReorderAuto}

// Ordering is the order that was chosen. The zero value is that of a matrix as
// given.
type Ordering struct {
	Order         Reorder // ReorderNone or ReorderRCM
	Before, After Envelope
	Elapsed       time.Duration // of choosing, computing and applying it

	Why         string          // if it is ReorderNone after all
	Permutation csr.Permutation // nil: as given
}

// Envelope is how far the entries are from the diagonal, see
// csr.Matrix.Envelope.
type Envelope struct {
	Bandwidth int
	Profile   int64
}

// Line describes what was done.
func (o Ordering) Line() string {
	if o.Order == ReorderNone {
		return fmt.Sprintf("reorder none: %s; %.3f s", o.Why, o.Elapsed.Seconds())
	}
	return fmt.Sprintf("reorder %s: bandwidth %d -> %d, profile %d -> %d, %.3f s", o.Order,
		o.Before.Bandwidth, o.After.Bandwidth, o.Before.Profile, o.After.Profile, o.Elapsed.Seconds())
}

// InputError turns the error of a matrix in this order into an InputError, with a note
// if the rows that it names are not those given.
func (o Ordering) InputError(err error) *InputError {
	if o.Permutation != nil {
		return &InputError{err.Error() + " (rows in the order " + string(o.Order) + ")"}
	}
	return &InputError{err.Error()}
}

// Forth returns a vector in this order, itself if the order is that given.
func (o Ordering) Forth(given []float64) []float64 {
	if o.Permutation == nil {
		return given
	}
	v := make([]float64, len(given))
	o.Permutation.Apply(v, given)
	return v
}

// Back takes back forth.
func (o Ordering) Back(v []float64) []float64 {
	if o.Permutation == nil {
		return v
	}
	given := make([]float64, len(v))
	o.Permutation.Undo(given, v)
	return given
}
