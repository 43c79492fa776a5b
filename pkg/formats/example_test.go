package formats_test

import (
	"fmt"

	"github.com/mpsolve/mpsolve/pkg/formats"
)

// Two bytes for values that need to be known to within 2^-13 of a half.
func ExampleCodec() {
	c := formats.Codec{Format: formats.MustLookup("AFX16"), Exponent: -12} // quantum 2^-12
	values := []float64{0.1, -0.75, 3}
	stored := make([]byte, len(values)*c.Bytes+formats.Padding)
	if err := c.Encode(stored, values); err != nil {
		fmt.Println(err)
		return
	}
	c.Decode(values, stored)
	fmt.Printf("%.6f, error at most %.6f\n", values, c.ErrorBound(0))
	// Output: [0.100098 -0.750000 3.000000], error at most 0.000122
}
