package present

import (
	"fmt"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

// cestac is a solve with random rounding: digits counted, and right ones.
func cestac(tolerance string, counted, right float64) records.Record {
	return made("stochastic", fmt.Sprintf("matrix=m%g tolerance=%s", counted, tolerance), numbers{"converged": 1, "cestac_digits": counted, "right_digits": right})
}

// promise is a search for formats: whether residuals stay in FP64, the share of the rest that
// does, and bytes moved.
func promise(residuals, rest, moved float64) records.Record {
	return made("formats", fmt.Sprintf("matrix=m%g tolerance=1e-10", rest), numbers{"fp64_residuals": residuals, "fp64_rest": rest, "moved_fp64": moved})
}
