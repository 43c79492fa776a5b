package precond

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

// Set-ups that take long tell a percentage that grows from 0 to near 100, whatever the number of threads, and never two at a time.
func TestProgress(t *testing.T) {
	flow, heat := generated(t, "convdiff3d", generate.Params{"n": 16}), generated(t, "poisson3d", generate.Params{"n": 16})
	saddle := generated(t, "stokes2d", generate.Params{"n": 40})
	for _, c := range []struct {
		kind  Kind
		m     *csr.Matrix
		opt   Options
		of    string
		least int // of the last percentage
	}{
		{Cholesky, heat, Options{Symmetric: true}, "factors of ", 90},
		{LU, flow, Options{}, "factors of ", 90},
		{LU, saddle, Options{}, "", 90},
		{LDL, saddle, Options{Symmetric: true}, "factors of ", 90},
		{ICT, heat, Options{Symmetric: true, Incomplete: Incomplete{DropTol: 1e-6, Fill: 100}}, "4096 rows", 90},
		{ILUT, flow, Options{Incomplete: Incomplete{DropTol: 1e-6, Fill: 100}}, "4096 rows", 90},
		{AMG, heat, Options{Symmetric: true}, "level 1, 4096 rows", 75},
	} {
		for _, threads := range []int{1, 2, 8} {
			t.Run(fmt.Sprintf("%s/%d", c.kind, threads), func(t *testing.T) {
				last, told, inside, began := 0, 0, false, false
				c.opt.Stage = func(text string) {
					if inside {
						t.Error("two at a time")
					}
					inside = true
					defer func() { inside = false }()
					before, after, found := strings.Cut(text, "%")
					if !found {
						return
					}
					now, err := strconv.Atoi(before)
					if err != nil || now < last || now > 99 || !began && now != 0 {
						t.Errorf("%d%%, then %q", last, text)
					}
					began = began || strings.Contains(after, c.of)
					last, told = now, told+1
				}
				mustNew(t, c.kind, c.m, c.opt, newPool(t, threads))
				if !began || last < c.least || told < 4 {
					t.Errorf("told %d times, at last %d%%", told, last)
				}
			})
		}
	}
}
