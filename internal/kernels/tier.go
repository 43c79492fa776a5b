package kernels

import (
	"fmt"
	"os"
	"strings"
)

// Tier is a level of SIMD instructions. Kernels exist in portable Go and, where
// it pays, for higher tiers; all tiers give the same bits unless the comment of a
// kernel says otherwise.
type Tier int

const (
	Portable Tier = iota
	AVX2          // with FMA and BMI2
	AVX512        // F, BW, DQ, VL, CD and VBMI
)

var tierNames = [...]string{Portable: "portable", AVX2: "avx2", AVX512: "avx512"}

// String returns the name that tierVariable takes.
func (t Tier) String() string { return tierNames[t] }

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
	for t, known := range tierNames {
		if name == known {
			return min(Tier(t), processor), nil
		}
	}
	return processor, fmt.Errorf("%s=%s: not one of %s", tierVariable, name, strings.Join(tierNames[:], ", "))
}

// A table holds a kernel for each tier: that of a lower tier where one has none of its
// own. The one in use is table[active].
type table[F any] [AVX512 + 1]F
