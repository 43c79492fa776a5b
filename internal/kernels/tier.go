package kernels

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/cpu"
)

// Tier is a level of SIMD instructions. Kernels exist in portable Go and, where
// it pays, for higher tiers; all tiers give the same bits unless the comment of a
// kernel says otherwise.
type Tier int

const (
	Portable Tier = iota
	AVX2          // with FMA and BMI2
	AVX512        // F, BW, DQ, VL, CD and VBMI
	tiers
)

// levels holds the name of each tier, which tierVariable takes, and whether this
// processor has its instructions. Those of another family of processors follow as
// further rows; kernels that a tier does not have are portable ones there.
var levels = [tiers]struct {
	name string
	has  bool
}{
	Portable: {"portable", true},
	AVX2:     {"avx2", cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2},
	AVX512: {"avx512", cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 &&
		cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL &&
		cpu.X86.HasAVX512CD && cpu.X86.HasAVX512VBMI && cpu.X86.HasPOPCNT},
}

// String returns the name that tierVariable takes.
func (t Tier) String() string { return levels[t].name }

// detect returns the highest tier that this processor has, Portable in a build without
// assembly.
func detect() Tier {
	highest := Portable
	for t, l := range levels {
		if l.has && assembly {
			highest = Tier(t)
		}
	}
	return highest
}

// tierVariable is the environment variable that selects a lower tier than the
// processor has: for tests and bug reports.
const tierVariable = "MPSOLVE_KERNELS"

// processor is the highest tier that this processor has, active the one in use.
var (
	processor        = detect()
	active, tierFail = choose(os.Getenv(tierVariable))
)

// ProcessorTier returns the highest tier that this processor has.
func ProcessorTier() Tier { return processor }

// ActiveTier returns the tier in use. It is an error if tierVariable is not the
// name of one; then it has no effect. A tier that the processor does not have
// counts as the highest that it has.
func ActiveTier() (Tier, error) { return active, tierFail }

func choose(name string) (Tier, error) {
	if name == "" {
		return processor, nil
	}
	var names []string
	for t, l := range levels {
		if name == l.name {
			return min(Tier(t), processor), nil
		}
		names = append(names, l.name)
	}
	return processor, fmt.Errorf("%s=%s: not one of %s", tierVariable, name, strings.Join(names, ", "))
}

// A table holds a kernel for each tier: that of a lower tier where one has none of its
// own. The one in use is table[active].
type table[F any] [tiers]F

// everyTier returns the table of a kernel that is the same on all tiers. Files of a
// processor replace it in their init functions, see from.
func everyTier[F any](kernel F) (t table[F]) {
	t.from(Portable, kernel)
	return t
}

// from makes kernel that of a tier and of those above.
func (t *table[F]) from(tier Tier, kernel F) {
	for k := tier; k < tiers; k++ {
		t[k] = kernel
	}
}
