package gcnemu

import (
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestComparisons compares special and random operands with exact arithmetic.
func TestComparisons(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	special := []uint64{0, 1, all32, all64, 1 << 31, 1 << 63, d(1), d(-1), d(math.Inf(1)), d(math.Inf(-1)), d(math.NaN())}
	for _, name := range slices.Sorted(maps.Keys(vectors)) {
		op, typ, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, "v_cmpx_"), "v_cmp_"), "_")
		if !strings.HasPrefix(name, "v_cmp") || !ok || op == "class" {
			continue
		}
		for range 40 {
			a, b := special[random.IntN(len(special))], special[random.IntN(len(special))]
			if _, bit, _ := execute(t, name, vectors[name].types, a, b, 0, false); bit != truth(holds(op, typ, a, b)) {
				t.Errorf("%s of %#x and %#x is %d", name, a, b, bit)
			}
		}
	}
}

// holds says whether a comparison does.
func holds(op, typ string, a, b uint64) bool {
	number := func(v uint64) *big.Float {
		switch typ {
		case "u32":
			v &= all32
		case "i32":
			return big.NewFloat(float64(int32(v)))
		case "i64":
			return new(big.Float).SetInt64(int64(v))
		case "f64":
			return big.NewFloat(math.Float64frombits(v))
		}
		return new(big.Float).SetUint64(v)
	}
	if nan := func(v uint64) bool { return typ == "f64" && v&^(1<<63) > 0x7ff<<52 }; nan(a) || nan(b) {
		return op[0] == 'n' || op == "u"
	}
	c := number(a).Cmp(number(b))
	switch op {
	case "lt", "nge":
		return c < 0
	case "le", "ngt":
		return c <= 0
	case "gt", "nle":
		return c > 0
	case "ge", "nlt":
		return c >= 0
	case "eq", "nlg":
		return c == 0
	case "ne", "lg", "neq":
		return c != 0
	}
	return op == "o"
}
