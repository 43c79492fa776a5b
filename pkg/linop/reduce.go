package linop

import "math"

// A Reducer combines partial results of sums and maxima. [Local] combines the partial results
// of one process. For vectors that several processes share, a Reducer combines the results of all processes, and gives all
// processes the same bits.
type Reducer interface {
	// Sum sets each of the m sums to the sum of the partial results with its index modulo
	// m, in their order: sums[k] = partial[k] + partial[k+m] + ...
	Sum(sums, partial []float64)
	// Max returns the largest of the partial results, NaN if any is, -Inf if there are none.
	Max(partial []float64) float64
}

// Local is the Reducer of vectors that are not shared with other processes.
type Local struct{}

var _ Reducer = Local{}

// Sum implements Reducer.
func (Local) Sum(sums, partial []float64) {
	for k := range sums {
		var s float64
		for at := k; at < len(partial); at += len(sums) {
			s += partial[at]
		}
		sums[k] = s
	}
}

// Max implements Reducer.
func (Local) Max(partial []float64) float64 {
	largest := math.Inf(-1)
	for _, v := range partial {
		largest = max(largest, v)
	}
	return largest
}
