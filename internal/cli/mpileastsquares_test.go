//go:build unix && cgo

package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// rectangle writes a matrix of so many rows and columns, of full rank.
func rectangle(rows, cols int) string {
	var b strings.Builder
	most, least := max(rows, cols), min(rows, cols)
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", rows, cols, 3*most)
	for k := range most {
		for e, v := range []float64{2, -0.5, float64(k%7) / 8} {
			i, j := k, (k*least/most+e*e*17)%least
			if rows < cols {
				i, j = j, i
			}
			fmt.Fprintf(&b, "%d %d %g\n", i+1, j+1, v)
		}
	}
	return b.String()
}

// array writes a vector of so many numbers.
func array(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix array real general\n%d 1\n", n)
	for k := range n {
		fmt.Fprintln(&b, k*k%23-11)
	}
	return b.String()
}

// apart returns the largest difference of two files of vectors, relative to the largest element.
func apart(t *testing.T, one, other string) float64 {
	t.Helper()
	x, y := strings.Fields(one)[7:], strings.Fields(other)[7:]
	if len(x) != len(y) {
		t.Fatalf("%d and %d elements", len(x), len(y))
	}
	var worst, size float64
	for k := range x {
		a, err := strconv.ParseFloat(x[k], 64)
		b, also := strconv.ParseFloat(y[k], 64)
		if err != nil || also != nil {
			t.Fatal(err, also)
		}
		worst, size = max(worst, math.Abs(a-b)), max(size, math.Abs(a))
	}
	return worst / size
}

// Ranks solve least squares together, with the same bytes of x as one process, which verify, that has the matrix whole, judges alike. x is that of one domain,
// to the digits that the tolerance lets expect.
func TestRanksSolveLeastSquares(t *testing.T) {
	t.Parallel()
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		on.write(t, "tall.mtx", rectangle(600, 160))
		on.write(t, "wide.mtx", rectangle(160, 600))
		on.write(t, "b.mtx", array(600))
		on.write(t, "two.mtx", strings.Replace(array(1200), "1200 1", "600 2", 1))
		on.write(t, "c.mtx", strings.Replace(array(160), "160 1", "80 2", 1)) // for nothing
		on.must(t, "convert tall.mtx tall.mpx")
		on.must(t, "convert tall.mtx tall.mtx.gz")
		for k, c := range []struct{ flags, rhs, reason string }{
			{"tall.mtx --rhs b.mtx --tol 1e-13", "b.mtx", "least squares: x minimises"},
			{"tall.mtx.gz --rhs b.mtx --guess guess.mtx --method lsqr --stop nw --tol 1e-13", "b.mtx", "least squares: x minimises"},
			{"wide.mtx --scale none --tol 1e-13", "ones", "converged"},
			{"tall.mpx --rhs random:4 --tol 1e-13", "random:4", "converged"},
			{"tall.mtx --rhs two.mtx --tol 1e-13", "two.mtx", "least squares: x minimises"},
		} {
			on.must(t, "solve --domains 1 --output one.mtx "+strings.Replace(c.flags, "--guess guess.mtx", "", 1))
			on.write(t, "guess.mtx", on.file(t, "one.mtx"))
			on.must(t, "solve --domains 3 --output alone.mtx "+c.flags)
			on.must(t, "verify "+strings.Fields(c.flags)[0]+" "+c.rhs+" alone.mtx")
			if far := apart(t, on.file(t, "one.mtx"), on.file(t, "alone.mtx")); !(far < 1e-8) {
				t.Errorf("%s: x of one domain differs by %.1e of the largest element", c.flags, far)
			}
			for _, ranks := range on.numbers(k) {
				on := *on
				on.ranks = ranks
				e := on.mpsolve(t, fmt.Sprintf("solve --domains 3 --threads %d --verbose --output x.mtx %s", 1+ranks%2, c.flags))
				e.want(t, c.flags, 0, "")
				if !strings.Contains(e.out, c.reason) || !strings.Contains(e.out, "domains    3: by rows") {
					t.Errorf("%s of %d ranks:\n%s", c.flags, ranks, e.out)
				}
				if on.file(t, "x.mtx") != on.file(t, "alone.mtx") {
					t.Errorf("%s: x of %d ranks is another", c.flags, ranks)
				}
			}
		}
		on.write(t, "other.mtx", strings.Replace(rectangle(600, 160), " 2\n", " 3\n", 280)) // whose domains are the same
		on.must(t, "solve --domains 3 --rhs b.mtx --output alone%d.mtx tall.mtx other.mtx")
		e := on.mpsolve(t, "solve --domains 3 --rhs b.mtx --output x%d.mtx tall.mtx other.mtx")
		e.want(t, "a sequence", 0, "")
		if on.file(t, "x1.mtx") != on.file(t, "alone1.mtx") {
			t.Error("a sequence: x of ranks is another")
		}
		for _, c := range []struct {
			flags, says string
			code        int
		}{
			{"tall.mtx --precond ilu0", "least-squares problems are solved without preconditioners", exitInput},
			{"tall.mtx --method cg", "only square systems can be solved, others by --method lsqr", exitInput},
			{"tall.mtx --halo-epsilon 2^-37", "least-squares problems are solved without rounded halos", exitInput},
			{"tall.mtx --rhs c.mtx", "c.mtx: the right-hand side has 80 elements, the matrix 600 rows", exitInput},
			{"tall.mtx --max-iter 1 --rhs b.mtx", "", exitNotConverged},
		} {
			e := on.mpsolve(t, "solve --domains 3 "+c.flags)
			e.want(t, c.flags, c.code, c.says)
		}
	})
}
