package kernels

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
)

// Tier is a set of kernels for a level of SIMD instructions. Kernels exist in portable Go and,
// where it pays, for higher tiers; all tiers give the same bits unless the comment of a
// kernel says otherwise.
type Tier int

const (
	Portable Tier = iota
	AVX2          // with FMA and BMI2
	AVX512        // F, BW, DQ, VL, CD and VBMI
	NEON          // of arm64
	tiers
)

// levels holds the name of each tier, which tierVariable takes, the tier whose kernels it has
// where there are none of its own, and whether this processor has its instructions.
var levels = [tiers]struct {
	name  string
	below Tier
	has   bool
}{
	Portable: {"portable", Portable, true},
	AVX2:     {"avx2", Portable, assembly && hasAVX2},
	AVX512: {"avx512", AVX2, assembly && hasAVX2 &&
		cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL &&
		cpu.X86.HasAVX512CD && cpu.X86.HasAVX512VBMI && cpu.X86.HasPOPCNT},
	NEON: {"neon", Portable, assembly && runtime.GOARCH == "arm64"},
}

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2

// String returns the name that tierVariable takes.
func (t Tier) String() string { return levels[t].name }

// Tiers returns the tiers that this processor has, the highest last; Portable alone in a build
// without assembly.
func Tiers() (list []Tier) {
	for t, l := range levels {
		if l.has {
			list = append(list, Tier(t))
		}
	}
	return list
}

// tierVariable is the environment variable that selects a lower tier than the
// processor has: for tests and bug reports.
const tierVariable = "MPSOLVE_KERNELS"

// active is the tier in use.
var active, tierFail = choose(os.Getenv(tierVariable))

// ProcessorTier returns the highest tier that this processor has.
func ProcessorTier() Tier {
	list := Tiers()
	return list[len(list)-1]
}

// ActiveTier returns the tier in use. It is an error if tierVariable is not the
// name of one; then it has no effect. A tier that the processor does not have
// counts as the highest that it has.
func ActiveTier() (Tier, error) { return active, tierFail }

func choose(name string) (Tier, error) {
	if name == "" {
		return ProcessorTier(), nil
	}
	var names []string
	for t, l := range levels {
		switch {
		case name == l.name && l.has:
			return Tier(t), nil
		case name == l.name:
			return ProcessorTier(), nil
		}
		names = append(names, l.name)
	}
	return ProcessorTier(), fmt.Errorf("%s=%s: not one of %s", tierVariable, name, strings.Join(names, ", "))
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
	for k := range tiers {
		if k.above(tier) {
			t[k] = kernel
		}
	}
}

// above reports whether t is a tier or one above it.
func (t Tier) above(tier Tier) bool {
	for t != tier && t != Portable {
		t = levels[t].below
	}
	return t == tier
}
