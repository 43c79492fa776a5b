//go:build linux && amd64 && !purego

package kernels

import (
	"math/rand/v2"
	"testing"

	"github.com/mpsolve/mpsolve/internal/guard"
)

// The assembly stays inside all its slices: each ends at a protected page.
func TestSlotsStayInside(t *testing.T) {
	if slotsSIMD == nil {
		t.Skip("no SIMD kernel for slots on this processor")
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		p := randomPanel(rng, 1+rng.IntN(20), 1+rng.IntN(9), 1+rng.IntN(500))
		q := &SlotPanel{
			Block: p.Block, Odd: p.Odd,
			Groups: guard.Copy(t, p.Groups), Widths: guard.Copy(t, p.Widths), Index: guard.Copy(t, p.Index),
			Offsets: guard.Copy(t, p.Offsets), Values: guard.Copy(t, p.Values), Order: guard.Copy(t, p.Order),
		}
		p.units.Exp = guard.Copy(t, p.units.Exp)
		slotsSIMD(guard.Slice[float64](t, p.rows), q, normal(rng, guard.Slice[float64](t, p.cols)), p.row0, p.units, p.add)
	}
}

func TestSymmetricStaysInside(t *testing.T) {
	if symmetricSIMD == nil {
		t.Skip("no SIMD kernel for symmetric matrices on this processor")
	}
	rng := rand.New(rand.NewPCG(9, 10))
	for n := range 300 {
		p := randomSymmetric(rng, 2+n%(MaxBlock-1), 1+rng.IntN(20), 1+rng.IntN(9))
		q := &SlotPanel{
			Block: p.Block, Odd: p.Odd,
			Groups: guard.Copy(t, p.Groups), Widths: guard.Copy(t, p.Widths), Index: guard.Copy(t, p.Index),
			Values: guard.Copy(t, p.Values), Order: guard.Copy(t, p.Order),
		}
		x, sums := p.vectors(rng)
		symmetricSIMD(guard.Copy(t, sums), q, guard.Copy(t, x), p.SymmetricRange)
	}
}

// The same for rows of words and for decoding.
func TestWordsStayInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, longest := range []int{1, 3, 8, 9, 40} {
		for range 40 {
			c := randomRows(rng, longest)
			c.ptr, c.col = guard.Copy(t, c.ptr), guard.Copy(t, c.col)
			c.src, c.x = guard.Copy(t, c.src), guard.Copy(t, c.x)
			c.check(t, rng, "AddRows", AddRows, 0x1p-53, guard.Slice[float64](t, c.rows()))
			c.w.Decode(guard.Slice[float64](t, len(c.col)), c.src)
		}
	}
}
