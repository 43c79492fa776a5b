package matrixmarket

import (
	"math"
	"strings"
	"testing"
)

// TestRead has everything that is read although one may wonder.
func TestRead(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		name, text string
		want       [][]float64 // rows
		warnings   []string
	}{
		{
			"crlf", strings.ReplaceAll(coordReal+"2 2 1\n1 2 3\n", "\n", "\r\n"),
			[][]float64{{0, 3}, {0, 0}},
			[]string{"lines end with a carriage return and a line feed"},
		},
		{
			"carriage returns", strings.ReplaceAll(coordReal+"2 2 1\n1 2 3\n", "\n", "\r"),
			[][]float64{{0, 3}, {0, 0}},
			[]string{"lines end with carriage returns alone"},
		},
		{"no last line feed", coordReal + "2 2 1\n1 2 3", [][]float64{{0, 3}, {0, 0}}, nil},
		{"blanks", coordReal + "\n  2\t2  1  \n\n \t 1 \t 2\t3 \t\n\n", [][]float64{{0, 3}, {0, 0}}, nil},
		{
			"comments", coordReal + "%\n2 2 2\n%a\n1 2 3\n  % b\n2 1 4\n%%c\n",
			[][]float64{{0, 3}, {4, 0}},
			[]string{"3 comment lines below the size line, the first on line 4"},
		},
		{"banner in capitals", "%%MATRIXMARKET Matrix COORDINATE Double GENERAL\n1 1 1\n1 1 1\n", [][]float64{{1}}, nil},
		{
			"banner with one percent", coordReal[1:] + "1 1 1\n1 1 1\n",
			[][]float64{{1}},
			[]string{"the banner on line 1 begins with one % instead of two"},
		},
		{
			"banner indented", " \t" + coordReal + "1 1 1\n1 1 1\n",
			[][]float64{{1}},
			[]string{"there are blanks in front of the banner on line 1"},
		},
		{
			"banner on line 3", "\n\n" + coordReal + "1 1 1\n1 1 1\n",
			[][]float64{{1}},
			[]string{"there are blank lines in front of the banner on line 3"},
		},
		{
			"byte order mark", "\xef\xbb\xbf" + coordReal + "1 1 1\n1 1 1\n",
			[][]float64{{1}},
			[]string{"the file begins with a byte order mark"},
		},
		{"graphblas", coordReal + "%%GraphBLAS type int8_t\n1 1 1\n1 1 1\n", [][]float64{{1}}, nil},
		{"nothing", coordReal + "0 0 0\n", [][]float64{}, nil},
		{"no entries", coordReal + "2 1 0\n", [][]float64{{0}, {0}}, nil},
		{
			"numbers", coordReal + "1 9 9\n1 1 .5\n1 2 5.\n1 3 -.036\n1 4 +1\n1 5 1.0D+00\n1 6 1d0\n1 7 1.5+100\n1 8 2Q1\n1 9 1e-400\n",
			[][]float64{{.5, 5, -.036, 1, 1, 1, 1.5e100, 20, 0}},
			nil,
		},
		{
			"not finite", coordReal + "1 4 4\n1 1 nan\n1 2 -Inf\n1 3 +infinity\n1 4 1\n",
			[][]float64{{nan, -inf, inf, 1}},
			[]string{"3 values not finite: nan, infinity or overflow, the first on line 3"},
		},
		{
			"overflow", coordReal + "1 2 2\n1 1 1\n1 2 -1e310\n",
			[][]float64{{1, -inf}},
			[]string{"1 value not finite: nan, infinity or overflow, the first on line 4", "1 value too large for float64 and read as infinity, the first on line 4"},
		},
		{
			"whole numbers", coordInt + "1 5 5\n1 1 9007199254740993\n1 2 +7\n1 3 -8\n1 4 9223372036854775808\n1 5 -0\n",
			[][]float64{{9007199254740992, 7, -8, 9223372036854775808, 0}},
			[]string{"1 whole number too large to be exact in float64 and rounded, the first on line 3"},
		},
		{
			"unsigned", "%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 18446744073709551615\n",
			[][]float64{{1 << 64}},
			[]string{"the field unsigned-integer is an extension of the format", "1 whole number too large to be exact in float64 and rounded, the first on line 3"},
		},
		{
			"duplicates", coordReal + "1 2 5\n1 2 1e16\n1 1 2\n1 2 1\n1 2 1\n1 2 -1e16\n",
			[][]float64{{2, 0}},
			[]string{"3 entries added to an earlier one with the same indices"},
		},
		{"zeros", coordReal + "1 3 3\n1 1 0\n1 2 -0.0\n1 3 1\n", [][]float64{{0, 0, 1}}, nil},
		{"symmetric", coordSym + "2 2 2\n1 1 1\n2 1 2\n", [][]float64{{1, 2}, {2, 0}}, nil},
		{
			"symmetric from above", coordSym + "2 2 2\n1 1 1\n1 2 2\n",
			[][]float64{{1, 2}, {2, 0}},
			[]string{"1 entry above the diagonal of a symmetric matrix, the first on line 4: read as if below"},
		},
		{
			"symmetric from both sides", coordSym + "3 3 2\n2 1 1\n1 3 2\n",
			[][]float64{{0, 1, 2}, {1, 0, 0}, {2, 0, 0}},
			[]string{"1 entry above the diagonal of a symmetric matrix, the first on line 4: read as if below"},
		},
		{
			"symmetric duplicates", coordSym + "2 2 4\n2 1 1\n1 1 1\n2 1 2\n1 1 3\n",
			[][]float64{{4, 3}, {3, 0}},
			[]string{"2 entries added to an earlier one with the same indices"},
		},
		{"skew", coordSkew + "2 2 1\n2 1 2\n", [][]float64{{0, -2}, {2, 0}}, nil},
		{
			"skew from above", coordSkew + "2 2 1\n1 2 2\n",
			[][]float64{{0, 2}, {-2, 0}},
			[]string{"1 entry above the diagonal of a skew-symmetric matrix, the first on line 3: read as if below"},
		},
		{
			"skew with diagonal", coordSkew + "2 2 3\n1 1 0\n2 1 2\n2 2 5\n",
			[][]float64{{0, -2}, {2, 5}},
			[]string{"1 diagonal entry not zero as a skew-symmetric matrix demands, kept as written, the first on line 5", "1 zero on the diagonal of a skew-symmetric matrix, where nothing should be written, the first on line 3"},
		},
		{"pattern", coordPat + "2 2 1\n1 2\n", [][]float64{{0, 1}, {0, 0}}, nil},
		{
			"hermitian real", "%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 3\n",
			[][]float64{{0, 3}, {3, 0}},
			[]string{"a hermitian matrix with the field real is read as symmetric"},
		},
		{
			"array", arrayReal + "2 2\n1\n\n% c\n 2\n3\n4\n",
			[][]float64{{1, 3}, {2, 4}},
			[]string{"1 comment line below the size line, the first on line 5"},
		},
		{"array symmetric", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", [][]float64{{1, 2}, {2, 3}}, nil},
		{"array skew", "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n", [][]float64{{0, -1, -2}, {1, 0, -3}, {2, 3, 0}}, nil},
		{"array skew 1", "%%MatrixMarket matrix array real skew-symmetric\n1 1\n", [][]float64{{0}}, nil},
		{
			"vector array", "%%MatrixMarket vector array real general\n2\n1\n2\n",
			[][]float64{{1}, {2}},
			[]string{"the object vector is an extension of the format: read as a matrix of one column"},
		},
		{
			"vector without symmetry", "%%MatrixMarket vector array real\n2\n1\n2\n",
			[][]float64{{1}, {2}},
			[]string{"the banner on line 1 names no symmetry: read as general", "the object vector is an extension of the format: read as a matrix of one column"},
		},
		{
			"vector coordinate", "%%MatrixMarket vector coordinate real general\n3 3\n3 1\n1 5\n3 2\n",
			[][]float64{{5}, {0}, {3}},
			[]string{"the object vector is an extension of the format: read as a matrix of one column", "1 entry added to an earlier one with the same indices"},
		},
		{
			"vector pattern", "%%MatrixMarket vector coordinate pattern general\n2 1\n2\n",
			[][]float64{{0}, {1}},
			[]string{"the object vector is an extension of the format: read as a matrix of one column"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, opt := range []Options{{}, {Threads: 3, pieceSize: 4}, {KeepZeros: true}} {
				c := mustRead(t, test.text, opt)
				columns, err := c.Columns()
				if err != nil {
					t.Fatal(err)
				}
				if c.Rows != len(test.want) || len(test.want) > 0 && c.Cols != len(test.want[0]) {
					t.Fatalf("got a %d x %d matrix", c.Rows, c.Cols)
				}
				for i := range c.Rows {
					for j := range c.Cols {
						if got := columns[j][i]; !same(got, test.want[i][j]) {
							t.Errorf("entry (%d, %d) is %g, want %g", i+1, j+1, got, test.want[i][j])
						}
					}
				}
				if got, want := strings.Join(c.Warnings, "\n"), strings.Join(test.warnings, "\n"); got != want {
					t.Errorf("warnings:\n%s\nwant:\n%s", got, want)
				}
			}
		})
	}
}
