package lab

import (
	"fmt"
	"math"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dd"
	"github.com/mpsolve/mpsolve/pkg/formats"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// PartKind is the kind of a part of a solve.
type PartKind int

// The kinds of parts.
const (
	MatrixClass    PartKind = iota // entries of the method's matrix
	Preconditioner                 // its values
	Vectors                        // of the method
	Residual                       // b - A x of refinement: A and r
)

// A Part is a part of a solve with a storage format of its own.
type Part struct {
	Kind   PartKind
	Name   string
	Values int64 // numbers stored, for a preconditioner in FP64

	class int // of MatrixClass
}

// classBounds are the binary exponents, relative to the largest entry of the row, that separate the classes of
// entries: a class has the entries from one bound up to the bound before it.
var classBounds = []int{-4, -10, -20}

// classOf returns the class of an entry.
func classOf(v, largest float64) int {
	e := dd.Exponent(v) - dd.Exponent(largest)
	for k, bound := range classBounds {
		if e >= bound {
			return k
		}
	}
	return len(classBounds)
}

// largestOf bounds the entries of a class, relative to the largest of the row.
func largestOf(class int) float64 {
	if class == 0 {
		return 1
	}
	return math.Ldexp(1, classBounds[class-1])
}

func className(class int) string {
	switch class {
	case 0:
		return fmt.Sprintf("entries from 2^%d of the largest of their row", classBounds[0])
	case len(classBounds):
		return fmt.Sprintf("entries below 2^%d", classBounds[class-1])
	}
	return fmt.Sprintf("entries from 2^%d to 2^%d", classBounds[class], classBounds[class-1])
}

// listParts lists the parts of the system, without classes that have no entries.
func (s *system) listParts(made precond.Preconditioner, vectors int) (list []Part) {
	s.class = make([]uint8, s.scaled.NNZ())
	counts := make([]int64, len(classBounds)+1)
	for i := range s.scaled.Rows {
		_, vals := s.scaled.Row(i)
		largest := 0.0
		for _, v := range vals {
			largest = math.Max(largest, math.Abs(v))
		}
		from := s.scaled.RowPtr[i]
		for k, v := range vals {
			if v == 0 {
				continue // of any class
			}
			c := classOf(v, largest)
			s.class[from+int64(k)] = uint8(c)
			counts[c]++
		}
	}
	for c, n := range counts {
		if n > 0 {
			list = append(list, Part{Kind: MatrixClass, Name: className(c), Values: n, class: c})
		}
	}
	if made != nil {
		list = append(list, Part{Kind: Preconditioner, Name: "preconditioner", Values: made.Cost().Values})
	}
	return append(list,
		Part{Kind: Vectors, Name: "vectors of the method", Values: int64(vectors) * int64(s.given.Rows)},
		Part{Kind: Residual, Name: "residuals", Values: int64(s.given.NNZ() + s.given.Rows)})
}

// narrow rounds numbers to a format, to nearest: too large numbers become infinite, too small ones zero.
type narrow struct {
	codec          formats.Codec
	least, largest float64
	code           []byte
}

// newNarrow returns nil for FP64, which needs no rounding.
func newNarrow(f formats.Format) *narrow {
	if f.Name == "FP64" {
		return nil
	}
	n := &narrow{codec: formats.Codec{Format: f}}
	n.least, n.largest = n.codec.Range()
	return n
}

// chunk is the number of values that are encoded at a time.
const chunk = 4096

// round rounds x in place.
func (n *narrow) round(x []float64) {
	if n == nil {
		return
	}
	if n.code == nil {
		n.code = make([]byte, chunk*n.codec.Bytes+formats.Padding)
	}
	for len(x) > 0 {
		part := x[:min(chunk, len(x))]
		x = x[len(part):]
		inRange := true
		for i, v := range part {
			switch a := math.Abs(v); {
			case a < n.least/2:
				part[i] = 0
			case a < n.least:
				part[i] = math.Copysign(n.least, v)
			case !(a <= n.largest):
				inRange = false
			}
		}
		if !inRange {
			n.roundEach(part)
			continue
		}
		n.encode(part)
	}
}

func (n *narrow) encode(part []float64) {
	if err := n.codec.Encode(n.code[:len(part)*n.codec.Bytes], part); err != nil {
		n.roundEach(part)
		return
	}
	n.codec.Decode(part, n.code)
}

// roundEach rounds numbers of which some are too large for the format.
func (n *narrow) roundEach(part []float64) {
	for i, v := range part {
		one := []float64{v}
		if v-v != 0 || n.codec.Encode(n.code[:n.codec.Bytes], one) != nil {
			part[i] = math.Copysign(math.Inf(1), v)
			continue
		}
		n.codec.Decode(one, n.code)
		part[i] = one[0]
	}
}

// Minimize is delta debugging, the algorithm ddmin of Zeller and Hildebrandt ([Zeller02]). It returns a subset of {0,
// ..., n-1}, in ascending order, for which holds is true, and false when any one of its elements is removed. holds
// must be true for the whole set, for which Minimize does not call it. Minimize tries pieces of the set and their
// complements, with more and more pieces, and calls holds at most once for each subset. If holds is not monotone,
// smaller sets may exist elsewhere.
//
// An error of holds ends the search; Minimize then returns the smallest set found so far.
func Minimize(n int, holds func(set []int) (bool, error)) ([]int, error) {
	set := make([]int, n)
	for i := range set {
		set[i] = i
	}
	asked := map[string]bool{}
	ask := func(s []int) (bool, error) {
		key := keyOf(n, s)
		if known, ok := asked[key]; ok {
			return known, nil
		}
		v, err := holds(s)
		asked[key] = v
		return v, err
	}
	if n == 0 {
		return set, nil
	}
	if ok, err := ask(nil); ok || err != nil {
		if ok {
			set = nil
		}
		return set, err
	}
	for pieces := 2; len(set) >= 2; {
		smaller, found, err := reduce(set, pieces, ask)
		switch {
		case err != nil:
			return set, err
		case found && len(smaller) <= (len(set)+pieces-1)/pieces: // a piece
			set, pieces = smaller, 2
		case found: // a complement
			set, pieces = smaller, max(pieces-1, 2)
		case pieces >= len(set):
			return set, nil
		default:
			pieces = min(2*pieces, len(set))
		}
	}
	return set, nil
}

// reduce returns the first piece of the set, or complement of a piece, for which ask is true.
func reduce(set []int, pieces int, ask func([]int) (bool, error)) (smaller []int, found bool, err error) {
	pieces = min(pieces, len(set))
	for k := range pieces {
		lo, hi := k*len(set)/pieces, (k+1)*len(set)/pieces
		if ok, err := ask(set[lo:hi]); ok || err != nil {
			return slices.Clone(set[lo:hi]), ok, err
		}
	}
	if pieces == 2 {
		return nil, false, nil // the complements are the pieces themselves
	}
	for k := range pieces {
		lo, hi := k*len(set)/pieces, (k+1)*len(set)/pieces
		rest := slices.Concat(set[:lo], set[hi:])
		if ok, err := ask(rest); ok || err != nil {
			return rest, ok, err
		}
	}
	return nil, false, nil
}

func keyOf(n int, set []int) string {
	key := make([]byte, n)
	for _, i := range set {
		key[i] = 1
	}
	return string(key)
}
