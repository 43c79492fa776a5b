package lab

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// pick returns a random element of a list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// drawOptions returns the defaults in half of the cases and random valid options in the others.
func drawOptions(r *rand.Rand, s *System) (opt solve.Options) {
	opt.Threads = 1
	opt.Tol = pick(r, []float64{1e-10, 1e-10, 1e-6, 1e-8, 1e-12, 1e-14})
	if s.FixedTol > 0 {
		opt.Tol = s.FixedTol
	}
	if s.Plain || r.IntN(2) == 0 {
		if r.IntN(2) == 0 && s.FixedTol == 0 {
			opt.Tol = 1e-10
		}
		return opt
	}
	sometimes := func(one int, set func()) {
		if r.IntN(one) == 0 {
			set()
		}
	}
	sometimes(2, func() { opt.Method = pick(r, rules.Methods) })
	sometimes(3, func() { opt.Scale = pick(r, rules.Scales) })
	sometimes(3, func() { opt.Stop = pick(r, rules.Stops) })
	sometimes(2, func() { drawPrecond(r, &opt.Precond) })
	sometimes(3, func() { drawStorage(r, &opt.Storage) })
	sometimes(4, func() { opt.NoRefine = true })
	sometimes(6, func() { opt.Restart = between(r, 1, 60) })
	sometimes(6, func() { opt.IDR = between(r, 1, 12) })
	sometimes(6, func() { opt.MaxIter = between(r, 1, 300) })
	sometimes(6, func() { opt.Reorder = solve.ReorderRCM })
	sometimes(6, func() { opt.CGS2 = true })
	sometimes(6, func() { opt.Threads = 2 })
	if !opt.NoRefine {
		sometimes(6, func() { opt.InnerTol = pick(r, []float64{0.5, 1e-2, 1e-4}) })
	}
	if rules.Validate(opt) != nil { // the formats do not go together
		opt.Storage = solve.Storage{}
	}
	return opt
}

func drawPrecond(r *rand.Rand, p *solve.Precond) {
	p.Kind = pick(r, rules.Preconds)
	if r.IntN(3) == 0 {
		p.Epsilon = pick(r, []float64{0x1p-8, 0x1p-24, 0x1p-53})
	}
	switch d, _ := precond.Lookup(p.Kind); {
	case d.Drops:
		p.DropTol = pick(r, []float64{1e-1, 1e-3, 1e-6, 1e-12})
		p.Fill = pick(r, []float64{1, 3, 20})
	case d.BlockSizes:
		p.BlockSize = pick(r, []int{0, 1, 2, 3})
	}
}

func drawStorage(r *rand.Rand, t *solve.Storage) {
	set, err := adaptive.LookupSet(pick(r, packed.Names()))
	if err != nil {
		panic(err)
	}
	t.Set = set
	t.Epsilon = pick(r, []float64{0, 0, 0x1p-10, 0x1p-24, 0x1p-37, 0x1p-53})
	if r.IntN(2) == 0 {
		t.Criterion = pick(r, []adaptive.Criterion{adaptive.NW, adaptive.CW})
	}
	if r.IntN(3) == 0 {
		t.Layout = pick(r, adaptive.Layouts)
	}
	t.NoDrop = r.IntN(5) == 0
	if r.IntN(5) == 0 {
		t.GuardBits = between(r, 1, 4)
	}
	t.StorageArithmetic = r.IntN(8) == 0
}

// flags returns the flags of the command line for the options.
func flags(o solve.Options) string {
	var words []string
	add := func(given bool, format string, args ...any) {
		if given {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(true, "--tol %g", o.Tol)
	add(o.Method != "", "--method %s", o.Method)
	add(o.Scale != "", "--scale %s", o.Scale)
	add(o.Stop != "", "--stop %s", o.Stop)
	add(o.Precond.Kind != "", "--precond %s", o.Precond.Kind)
	add(o.Precond.Epsilon > 0, "--precond-epsilon %g", o.Precond.Epsilon)
	add(o.Precond.DropTol > 0, "--drop-tol %g --fill %g", o.Precond.DropTol, o.Precond.Fill)
	add(o.Precond.BlockSize > 0, "--block-size %d", o.Precond.BlockSize)
	t := o.Storage
	add(t.Set.Name != "", "--formats %s", t.Set.Name)
	add(t.Epsilon > 0, "--epsilon %g", t.Epsilon)
	add(t.Criterion != "", "--criterion %s", t.Criterion)
	add(t.Layout != "", "--layout %s", t.Layout)
	add(t.NoDrop, "--no-drop")
	add(t.GuardBits > 0, "--guard-bits %d", t.GuardBits)
	add(t.StorageArithmetic, "--arith storage")
	add(o.NoRefine, "--refine=false")
	add(o.InnerTol > 0, "--inner-tol %g", o.InnerTol)
	add(o.Restart > 0, "--restart %d", o.Restart)
	add(o.MaxIter > 0, "--max-iter %d", o.MaxIter)
	add(o.Reorder != "", "--reorder %s", o.Reorder)
	add(o.CGS2, "--orthogonalization cgs2")
	add(o.Threads > 0, "--threads %d", o.Threads)
	return strings.Join(words, " ")
}
