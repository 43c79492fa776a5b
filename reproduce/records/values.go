package records

import (
	"math"
	"slices"
	"strings"
)

// Value describes a number in records, for tables and axes.
type Value struct {
	Name   string
	Text   string // its meaning, for an axis or a caption
	Format Format
}

// Format is the way a value is printed.
type Format int

// The formats.
const (
	Scientific Format = iota // 1.2e-10
	Percent                  // of 1: 0.605 is 60.5 %
	Count                    // 12345
	Fixed                    // 1.23
	YesNo                    // 1 is yes
)

// Share is the prefix of the names of the shares of formats.
const Share = "share."

var values = []Value{
	{"rows", "rows", Count},
	{"nnz", "nonzeros", Count},
	{"decades", "decades between the largest and the smallest magnitude", Fixed},

	{"bytes", "bytes of the stored matrix", Count},
	{"predicted", "bytes of the stored matrix, predicted", Count},
	{"bytes_per_nnz", "bytes per nonzero", Fixed},
	{"storage", "storage / FP64 CSR", Percent},
	{"storage_fp32", "storage / FP32 CSR", Percent},
	{"dropped", "nonzeros dropped", Percent},
	{"error_nw", "normwise backward error", Scientific},
	{"error_cw", "componentwise backward error", Scientific},
	{"error_row", "row-wise error", Scientific},
	{"bound", "bound of the row-wise error", Scientific},
	{"seconds", "time (s)", Fixed},
	{"time", "time / uniform FP64", Percent},
	{"time_ordinary", "time / ordinary FP64 CSR", Percent},
	{"time_fp32", "time / uniform FP32", Percent},
	{"time_tuned", "time / tuned FP64 CSR", Percent},
	{"time_best", "time / the fastest layout", Fixed},
	{"bandwidth_share", "share of the bound by bandwidth", Percent},
	{"gbps", "GB/s", Fixed},
	{"efficiency", "parallel efficiency", Percent},
	{"speedup", "speedup over one thread", Fixed},
	{"joules", "energy of a product (J)", Scientific},

	{"spmv_seconds", "time in products (s)", Fixed},
	{"iteration_seconds", "time of an iteration (s)", Scientific},
	{"iterations", "iterations", Count},
	{"steps", "refinement steps", Count},
	{"backward_error", "normwise backward error of x", Scientific},
	{"relative_residual", "residual of x / norm of b", Scientific},
	{"forward_error", "error of x / norm of the solution", Scientific},
	{"converged", "converged", YesNo},

	{"recurred_residual", "residual by recurrence / norm of b", Scientific},
	{"switched", "iterations before the switch", Count},
	{"iteration_double", "time of an iteration / in double", Fixed},
	{"bytes_flop", "bytes of element, index, x and y / operation", Fixed},
	{"moved_flop", "bytes moved at least / operation", Fixed},
	{"time_double", "time / double", Fixed},

	{"cestac_digits", "digits by CESTAC", Fixed},
	{"right_digits", "right digits of the same x", Fixed},
	{"believed_digits", "digits that solve believes", Count},
	{"right_ordinary", "right digits of the x of solve", Fixed},
	{"zeros", "elements without a digit", Percent},
	{"cancellations", "cancellations of four digits", Count},
	{"moved_fp64", "bytes moved / FP64", Percent},
	{"solves", "solves of the search", Count},
	{"fp64_residuals", "residuals stay in FP64", YesNo},
	{"fp64_rest", "other values that stay in FP64", Percent},
	{"iterations_fp64", "iterations with FP64", Count},

	{"matrix_read", "bytes of matrices read", Scientific},
	{"basis_read", "bytes of the basis read", Scientific},
	{"read", "bytes read / plain GMRES", Percent},
	{"basis_storage", "basis / FP64", Percent},
	{"error_epsilon", "error / (epsilon ||x||_1 ||y||_inf)", Scientific},
	{"vector_storage", "vector / FP64", Percent},
	{"time_plain", "time / plain GMRES", Percent},

	{"error", "relative error, mean of ten seeds", Scientific},
	{"error_median", "relative error, median of ten seeds", Scientific},
	{"time_fp64", "time / FP64", Percent},
	{"gflops", "GFLOP/s", Fixed},
	{"identical", "points as of the full search in FP32", Percent},
	{"within5", "points within 5 mm of it", Percent},
	{"beyond20", "points beyond 20 mm", Percent},
	{"true5", "points within 5 mm of the true place", Percent},
	{"true_distance", "distance from the true place, median (mm)", Fixed},
	{"tried", "points compared for an event", Count},
	{"unfaithful", "points other than those of the full search in FP32", Percent},
	{"events", "events in the class", Percent},
	{"event_seconds", "time of an event (s)", Scientific},
	{"time_fgs", "time / full search in FP32", Percent},
	{"digits", "significant digits of a figure of merit, mean", Fixed},
	{"digits_least", "significant digits of a figure of merit, least", Fixed},
	{"changed", "points changed by random rounding", Percent},

	{"term_ns", "time of a multiplication and an addition (ns)", Fixed},
	{"whole_ms", "time of the operation (ms)", Fixed},
	{"over_big", "time of math/big / time", Fixed},
	{"error_sum", "error / sum of the magnitudes of terms", Scientific},
	{"step_share", "share of the time", Percent},
	{"time_csr", "time / product in FP64", Fixed},

	{"bandwidth", "bandwidth of updates of vectors (GB/s)", Fixed},
	{"of_bound", "GFLOP/s / one operation for 8 bytes of memory", Percent},
	{"products", "products in an iteration", Fixed},
	{"predicted_storage", "predicted storage / FP64 CSR", Percent},
	{"bytes_per_value", "bytes", Count},
	{"sign_bits", "sign bits", Count},
	{"exponent_bits", "exponent bits", Count},
	{"significand_bits", "significand bits, including the hidden one", Count},
	{"unit_roundoff", "unit roundoff", Scientific},
	{"measured_roundoff", "largest relative error measured", Scientific},
}

// Suffixes of the names of the quartiles of a value over the rounds of its measurement; the value itself is the
// median.
const (
	FirstQuartile = ".q1"
	ThirdQuartile = ".q3"
)

// Quartiles returns the quartiles of numbers, interpolated between two of them if necessary; NaN for an empty list.
func Quartiles(x []float64) (first, median, third float64) {
	if len(x) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	quartile := func(k int) float64 {
		at := k * (len(x) - 1) // in quarters of an index
		low, high := x[at/4], x[(at+3)/4]
		return low + float64(at%4)/4*(high-low)
	}
	return quartile(1), quartile(2), quartile(3)
}

// LookupValue describes the value of that name; share.X is the share of the nonzeros that format X holds, and share.*
// stands for all shares.
func LookupValue(name string) (Value, bool) {
	if name == Share+"*" {
		return Value{name, "nonzeros in each format, or dropped", Percent}, true
	}
	if len(name) > len(Share) && name[:len(Share)] == Share {
		return Value{name, name[len(Share):], Percent}, true
	}
	for end, quartile := range map[string]string{FirstQuartile: "first", ThirdQuartile: "third"} {
		if median, ok := strings.CutSuffix(name, end); ok {
			v, ok := LookupValue(median)
			return Value{name, v.Text + ", " + quartile + " quartile", v.Format}, ok
		}
	}
	for _, v := range values {
		if v.Name == name {
			return v, true
		}
	}
	return Value{}, false
}
