package present

import (
	"fmt"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// cestac returns a solve with random rounding: digits counted, and correct ones.
func cestac(tolerance string, counted, right float64) records.Record {
	return made("stochastic", fmt.Sprintf("matrix=m%g tolerance=%s", counted, tolerance), numbers{"converged": 1, "cestac_digits": counted, "right_digits": right})
}

// promise returns a search for formats: whether residuals stay in FP64, the share of the rest that stays in FP64, and
// the bytes moved.
func promise(residuals, rest, moved float64) records.Record {
	return made("formats", fmt.Sprintf("matrix=m%g tolerance=1e-10", rest), numbers{"fp64_residuals": residuals, "fp64_rest": rest, "moved_fp64": moved})
}
