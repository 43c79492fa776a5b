package gcnemu

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// operand is a register, several that follow each other, or a constant.
type operand struct {
	file  file
	at    int
	words int
	kind  byte         // its type, see operations
	value uint64       // of a constant
	lanes *[2]register // that hold it
	abs   bool         // the number without its sign, and
	minus bool         // with the other sign
}

// file is where an operand is.
type file uint8

const (
	constant file = iota
	scalarFile
	vectorFile
	laneNumber // each lane's own
)

// Scalar registers with names.
const (
	vcc        = 106
	ttmp       = 108
	m0         = 124
	null       = 125
	exec       = 126
	mostScalar = 128
)

var named = map[string]operand{
	"vcc": {at: vcc, words: 2}, "vcc_lo": {at: vcc, words: 1}, "vcc_hi": {at: vcc + 1, words: 1},
	"exec": {at: exec, words: 2}, "exec_lo": {at: exec, words: 1}, "exec_hi": {at: exec + 1, words: 1},
	"m0": {at: m0, words: 1}, "null": {at: null, words: 1},
}

// wordsOf is how many registers a type takes; m is a bit for each lane of a wave.
func (k *Kernel) wordsOf(kind byte) int {
	switch kind {
	case 'd', 'l', 'p':
		return 2
	case 'm', 'x':
		return k.Wave / 32
	}
	return 1
}

// operand reads one of a type: i and f for integers and numbers of 32 bits, l and d of 64, p for two
// of 32, m for a mask, k and u for 16 bits in the instruction with and without sign, w for any number
// of registers.
func (k *Kernel) operand(s string, kind byte) (o operand, err error) {
	o.kind = kind
	if kind == 'd' || kind == 'f' {
		s, o.minus = strings.CutPrefix(s, "-")
		if inner, ok := strings.CutPrefix(s, "|"); ok {
			s, o.abs = strings.TrimSuffix(inner, "|"), true
		}
		if s == "" || s[0] >= '0' && s[0] <= '9' && o.minus {
			s, o.minus = "-"+s, false
		}
	}
	switch r, ok := named[s]; {
	case ok:
		o.file, o.at, o.words = scalarFile, r.at, r.words
	case strings.HasPrefix(s, "ttmp"):
		o.file = scalarFile
		o.at, o.words, err = registers(s[4:], 16)
		o.at += ttmp
	case strings.HasPrefix(s, "s"):
		o.file = scalarFile
		o.at, o.words, err = registers(s[1:], vcc)
	case strings.HasPrefix(s, "v"):
		o.file = vectorFile
		o.at, o.words, err = registers(s[1:], k.Vector)
	default:
		return k.constant(s, o)
	}
	if want := k.wordsOf(kind); err == nil && kind != 'w' && o.words != want && o.at != null {
		err = fmt.Errorf("%d registers where there should be %d", o.words, want)
	}
	return o, err
}

// registers reads "7" or "[4:5]".
func registers(s string, most int) (at, words int, err error) {
	first, last, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"), ":")
	if !strings.HasPrefix(s, "[") {
		last = first
	}
	at, err = strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err != nil || err2 != nil || at < 0 || to < at || to >= most {
		return 0, 0, fmt.Errorf("register %s is not known", strconv.Quote(s))
	}
	return at, to - at + 1, nil
}

// constant reads a number. In instructions for 64 bits it is extended by its sign; of a number of
// FP64 that is written in hexadecimal it is the upper half.
func (k *Kernel) constant(s string, o operand) (operand, error) {
	o.words = k.wordsOf(o.kind)
	wide := o.words == 2
	n, err := strconv.ParseInt(s, 0, 64)
	switch x, notNumber := strconv.ParseFloat(s, 64); {
	case err == nil && o.kind == 'u':
		o.value = uint64(uint16(n))
	case err == nil && o.kind == 'k':
		o.value = uint64(uint32(int16(n)))
	case err == nil && (n < math.MinInt32 || n > math.MaxUint32 || o.kind == 'l' && n > math.MaxInt32 || o.kind == 'p' && n != 0):
		return o, fmt.Errorf("constant %s is not known", s)
	case err == nil && o.kind == 'd' && strings.Contains(s, "0x"):
		o.value = uint64(n) << 32
	case err == nil && (wide || o.kind == 'm'):
		o.value = uint64(n)
	case err == nil:
		o.value = uint64(uint32(n))
	case notNumber != nil || !strings.Contains(s, ".") || strings.ContainsAny(s, "eE"):
		return o, fmt.Errorf("operand %s is not known", strconv.Quote(s))
	case wide:
		o.value = math.Float64bits(x)
	default:
		o.value = uint64(math.Float32bits(float32(x)))
	}
	if o.lanes = k.constants[o.value]; o.lanes == nil {
		o.lanes = &[2]register{}
		o.lanes[0].fill(uint32(o.value))
		o.lanes[1].fill(uint32(o.value >> 32))
		k.constants[o.value] = o.lanes
	}
	return o, nil
}

// split cuts operands at commas and spaces.
func split(s string) (all []string) {
	for one := range strings.SplitSeq(s, ",") {
		all = append(all, strings.Fields(one)...)
	}
	return all
}
