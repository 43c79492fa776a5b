package formats

import (
	"fmt"
	"math"
	"strings"

	"github.com/mpsolve/mpsolve/internal/host"
)

// Kind is the way in which stored bits represent a value.
type Kind uint8

// The kinds, see the package comment.
const (
	Head64 Kind = iota
	Head32
	Relative
	Fixed
	Minifloat
)

// Format is the layout of a number format.
type Format struct {
	Name         string
	Kind         Kind
	Bytes        int // 1 to 8
	Signed       bool
	ExponentBits int // stored ones; 0 for fixed point
	Significand  int // bits of the significand, the hidden one included; 0 for fixed point
}

// UnitRoundoff is 2^-Significand; NaN for fixed point, whose error is absolute.
func (f Format) UnitRoundoff() float64 {
	if f.Kind == Fixed {
		return math.NaN()
	}
	return math.Ldexp(1, -f.Significand)
}

// MaxExponent is the exponent of the largest number, the scale being 1; 7 for Relative
// formats, 0 for fixed point.
func (f Format) MaxExponent() int {
	switch f.Kind {
	case Fixed:
		return 0
	case Relative:
		return 1<<f.ExponentBits - 1
	}
	return int(f.lastCode()>>(f.Significand-1)) - f.bias()
}

// bias is the bias of the exponent of a float.
func (f Format) bias() int { return 1<<(f.ExponentBits-1) - 1 }

// lastCode is the largest number's, without its sign. The last exponent stands for Inf and
// NaN, but FP8E4M3 has no Inf and one NaN alone, all bits of which are ones; Relative formats
// have neither.
func (f Format) lastCode() uint64 {
	exponents := uint64(1) << f.ExponentBits
	fraction := uint(f.Significand - 1)
	switch {
	case f.Kind == Relative:
		return exponents<<fraction - 1
	case f.Name == "FP8E4M3":
		return exponents<<fraction - 2
	}
	return (exponents-1)<<fraction - 1
}

// all is every format. Those of the papers have two names where a truncated
// format is one of the emulated ones as well.
var all = []Format{
	{"FP64", Head64, 8, true, 11, 53},
	{"FP56", Head64, 7, true, 11, 45},
	{"FP48", Head64, 6, true, 11, 37},
	{"FP40", Head64, 5, true, 11, 29},
	{"FP32", Head32, 4, true, 8, 24},
	{"FP24", Head32, 3, true, 8, 16},
	{"BF16", Head32, 2, true, 8, 8},

	{"FP16", Minifloat, 2, true, 5, 11},
	{"FP8E4M3", Minifloat, 1, true, 4, 4},
	{"FP8E5M2", Minifloat, 1, true, 5, 3},

	{"RP56", Head64, 7, true, 11, 45},
	{"RP48", Head64, 6, true, 11, 37},
	{"RP40", Head64, 5, true, 11, 29},
	{"RP24", Head32, 3, true, 8, 16},
	{"RP16", Head32, 2, true, 8, 8},

	{"RPRE48", Relative, 6, true, 3, 45},
	{"RPRE40", Relative, 5, true, 3, 37},
	{"RPRE32", Relative, 4, true, 3, 29},
	{"RPRE24", Relative, 3, true, 3, 21},
	{"RPRE16", Relative, 2, true, 3, 13},
	{"RPRE8", Relative, 1, true, 3, 5},

	{"RPREU48", Relative, 6, false, 3, 46},
	{"RPREU40", Relative, 5, false, 3, 38},
	{"RPREU32", Relative, 4, false, 3, 30},
	{"RPREU24", Relative, 3, false, 3, 22},
	{"RPREU16", Relative, 2, false, 3, 14},
	{"RPREU8", Relative, 1, false, 3, 6},

	{"AFX56", Fixed, 7, true, 0, 0},
	{"AFX48", Fixed, 6, true, 0, 0},
	{"AFX40", Fixed, 5, true, 0, 0},
	{"AFX32", Fixed, 4, true, 0, 0},
	{"AFX24", Fixed, 3, true, 0, 0},
	{"AFX16", Fixed, 2, true, 0, 0},
	{"AFX8", Fixed, 1, true, 0, 0},
}

// All returns every format.
func All() []Format { return append([]Format(nil), all...) }

// Lookup returns the format of that name, upper and lower case alike. The error
// names the nearest one, and all.
func Lookup(name string) (Format, error) {
	var names []string
	for _, f := range all {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q; did you mean %s? There are %s", name, host.NearestWord(name, names), strings.Join(names, ", "))
}

// MustLookup is Lookup of a name that is known to be right; it panics if it is not.
func MustLookup(name string) Format {
	f, err := Lookup(name)
	if err != nil {
		panic(err)
	}
	return f
}
