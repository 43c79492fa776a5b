package matrixio

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

const hbWithRHS = `A real matrix with two right-hand sides                                 HAND    
             6             1             1             2             2
RUA                        3             3             4             0
(4I3)           (4I3)           (1P,3D12.4)         (4F8.3)             
F                          2             0
  1  3  4  5
  1  2  2  3
  4.0000D+00  1.0000D+00  2.0000D+00
  5.0000D-01
   4.000   3.000   0.500   8.000
   4.000   1.000
`

// Full right-hand sides follow one another without a line break.
func TestHBRightHandSides(t *testing.T) {
	c, err := readMemory([]byte(hbWithRHS), matrixmarket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{4, 3, .5, 8, 4, 1}
	if c.RHS == nil || c.RHS.Rows != 3 || c.RHS.Cols != 2 || !slices.Equal(c.RHS.Dense, want) || len(c.Warnings) > 0 {
		t.Fatalf("%+v, warnings %q; want %v", c.RHS, c.Warnings, want)
	}
	complex := strings.NewReplacer("RUA  ", "CUA  ", "\nF   ", "\nFGX ", "\n  5.0000D-01", "  0         \n  0           0           0         \n  5D-1        0").Replace(hbWithRHS)
	complex = strings.Replace(complex, "   4.000   1.000\n", "   4.000   1.000   1.000   0.000\n   0.000   0.000   7.000   8.000\n", 1)
	if c, err = readMemory([]byte(complex), matrixmarket.Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.RHS.Dense, []float64{4, .5, 4, 1, 0, 7}) || !slices.Equal(c.RHS.Imag, []float64{3, 8, 1, 0, 0, 8}) {
		t.Errorf("complex: %v, %v", c.RHS.Dense, c.RHS.Imag)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "guesses and solutions") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// Other right-hand sides are not read, with a warning, and fewer numbers than declared are a fault.
func TestHBRightHandSidesNotRead(t *testing.T) {
	for old, other := range map[string]string{"\nF   ": "\nM   ", " 2             0\n  1": " 0             0\n  1", "(4F8.3)": "(4I8)  "} {
		c, err := readMemory([]byte(strings.Replace(hbWithRHS, old, other, 1)), matrixmarket.Options{})
		if err != nil || c.RHS != nil || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "not read") {
			t.Errorf("%q: %v, %+v", other, err, c)
		}
	}
	_, err := readMemory([]byte(strings.Replace(hbWithRHS, " 2             0\n  1", " 3             0\n  1", 1)), matrixmarket.Options{})
	if err == nil || !strings.Contains(err.Error(), "the right-hand sides") {
		t.Errorf("one too few: %v", err)
	}
	_, err = readMemory([]byte(strings.Replace(hbWithRHS, " 2             0\n  1", "99999999999   0\n  1", 1)), matrixmarket.Options{})
	if err == nil {
		t.Error("too many are read")
	}
}
