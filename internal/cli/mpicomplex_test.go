//go:build unix && cgo

package cli

import (
	"fmt"
	"strings"
	"testing"
)

// wave writes a complex system: a damped wave equation on a square of n x n points, whose unknowns have the numbers that at tells. Half of the other
// entries have this imaginary part.
func wave(n int, diagonal complex128, imaginary float64, at func(k int) int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate complex general\n%d %d %d\n", n*n, n*n, 5*n*n-4*n)
	for k := range n * n {
		fmt.Fprintf(&b, "%d %d %g %g\n", at(k)+1, at(k)+1, real(diagonal), imag(diagonal))
		for d, next := range []bool{k%n > 0, k%n < n-1, k >= n, k < n*n-n} {
			if next {
				fmt.Fprintf(&b, "%d %d -1 %g\n", at(k)+1, at(k+[]int{-1, 1, -n, n}[d])+1, imaginary*float64(d%2))
			}
		}
	}
	return b.String()
}

// Ranks solve complex systems in the real form, with the same bytes of x as one process, which verify, that has the matrix whole, judges alike.
func TestRanksSolveComplexSystems(t *testing.T) {
	t.Parallel()
	eachLauncher(t, func(t *testing.T, on *onRanks) {
		const n = 17 // odd, as borders of domains of an odd number of rows would be
		same := func(k int) int { return k }
		on.write(t, "a.mtx", wave(n, complex(3.7, 0.3), 0.02, same))
		scattered := func(k int) int { return k * 389 % (n * n) } // cut by the graph
		on.write(t, "random.mtx", wave(n, complex(3.7, 0.3), 0.02, scattered))
		on.write(t, "apart.mtx", wave(n, 4.5, 0, scattered)) // both parts of x have nothing to do with each other
		on.write(t, "imaginary.mtx", wave(n, complex(0.2, 5), 0.02, same))
		on.must(t, fmt.Sprintf("generate poisson2d --n %d --output real.mtx", n))
		var b, r strings.Builder
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix array complex general\n%d 2\n", n*n)
		fmt.Fprintf(&r, "%%%%MatrixMarket matrix array real general\n%d 1\n", n*n)
		for k := range 2 * n * n {
			fmt.Fprintf(&b, "%d %d\n", k*k%17-8, k*k%23-11)
			if k < n*n {
				fmt.Fprintln(&r, k*k%19-9)
			}
		}
		on.write(t, "b.mtx", b.String())
		on.write(t, "r.mtx", r.String())
		for k, c := range []struct{ flags, rhs, form, cut string }{
			{"a.mtx", "ones", "K1", "by rows"},
			{"random.mtx --rhs b.mtx", "b.mtx", "K1", "by the graph"},
			{"apart.mtx --rhs b.mtx", "b.mtx", "K1", "by the graph"},
			{"imaginary.mtx --rhs r.mtx", "r.mtx", "K4", "by rows"},
			{"real.mtx --rhs b.mtx", "b.mtx", "K1", "by rows"},
			{"a.mtx --rhs b.mtx --guess guess.mtx --tol 1e-13", "b.mtx", "K1", "by rows"},
		} {
			on.must(t, "solve --domains 3 --output alone.mtx "+c.flags)
			if !strings.HasPrefix(on.file(t, "alone.mtx"), "%%MatrixMarket matrix array complex general\n289 ") {
				t.Errorf("%s: x is not complex", c.flags)
			}
			on.write(t, "guess.mtx", on.file(t, "alone.mtx"))
			on.must(t, "verify "+strings.Fields(c.flags)[0]+" "+c.rhs+" alone.mtx")
			for _, ranks := range on.numbers(k) {
				on := *on
				on.ranks = ranks
				e := on.mpsolve(t, "solve --domains 3 --output x.mtx "+c.flags)
				e.want(t, c.flags, 0, "")
				if !strings.Contains(e.out, "complex    289 x 289, solved as the real system "+c.form) || !strings.Contains(e.out, "domains    3: "+c.cut) {
					t.Errorf("%s of %d ranks:\n%s", c.flags, ranks, e.out)
				}
				if on.file(t, "x.mtx") != on.file(t, "alone.mtx") {
					t.Errorf("%s: x of %d ranks is another", c.flags, ranks)
				}
			}
		}
		e := on.mpsolve(t, "solve --domains 3 --output x.mtx.gz a.mtx")
		e.want(t, "compressed", 0, "")
		on.must(t, "verify a.mtx ones x.mtx.gz")
		e = on.mpsolve(t, "solve --domains 3 --rhs b.mtx --digits 30 real.mtx")
		e.want(t, "digits", exitInput, "complex systems are solved without --digits above 15")
		e = on.mpsolve(t, "solve --domains 3 real.mtx a.mtx")
		e.want(t, "a complex matrix after a real one", exitInput, "a.mtx: a complex matrix cannot be used as a real one")
		e = on.mpsolve(t, "solve --domains 3 --precond none --max-iter 1 a.mtx")
		e.want(t, "one iteration", exitNotConverged, "")
	})
}
