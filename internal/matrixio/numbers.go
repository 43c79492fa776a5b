package matrixio

import (
	"encoding/binary"
	"fmt"
	"math"
)

// kind is the kind of a stored number: a letter as in NumPy's descriptions (i: integer, u: unsigned, f: floating
// point, c: complex, b: truth value), and its bytes.
type kind struct {
	letter byte
	bytes  int
}

// known reports whether numbers of the kind are read.
func (k kind) known() bool {
	switch k.letter {
	case 'i', 'u':
		return k.bytes == 1 || k.bytes == 2 || k.bytes == 4 || k.bytes == 8
	case 'f':
		return k.bytes == 2 || k.bytes == 4 || k.bytes == 8
	case 'c':
		return k.bytes == 8 || k.bytes == 16
	}
	return k.letter == 'b' && k.bytes == 1
}

func (k kind) whole() bool { return k.letter == 'i' || k.letter == 'u' || k.letter == 'b' }

// bits returns the number in the first bytes of b.
func (k kind) bits(b []byte, order binary.ByteOrder, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

// integer returns a whole number; one beyond int64 becomes -1, which is out of any range.
func (k kind) integer(b []byte, order binary.ByteOrder) int64 {
	v := k.bits(b, order, k.bytes)
	if k.letter == 'i' {
		shift := 64 - 8*k.bytes
		return int64(v<<shift) >> shift
	}
	if v > math.MaxInt64 {
		return -1
	}
	return int64(v)
}

// float returns a real number, or the real part of a complex one.
func (k kind) float(b []byte, order binary.ByteOrder) float64 {
	switch {
	case k.letter == 'u' || k.letter == 'b':
		return float64(k.bits(b, order, k.bytes))
	case k.letter == 'i':
		return float64(k.integer(b, order))
	case k.letter == 'f' && k.bytes == 2:
		return half(order.Uint16(b))
	case k.letter == 'f' && k.bytes == 4 || k.letter == 'c' && k.bytes == 8:
		return float64(math.Float32frombits(order.Uint32(b)))
	}
	return math.Float64frombits(order.Uint64(b))
}

// half returns the number with the bits b in binary16 of IEEE 754.
func half(b uint16) float64 {
	v := math.Float64frombits(uint64(b&0x7fff)<<42) * 0x1p1008 // the exponents have the biases 15 and 1023
	switch {
	case v > 0x1p16:
		v = math.NaN()
	case v == 0x1p16:
		v = math.Inf(1)
	}
	return math.Copysign(v, 0.5-float64(b>>15))
}

// pieceBytes is the number of bytes read at a time: a false declaration takes no more memory than that.
const pieceBytes = 1 << 18

// each reads n numbers of a kind and passes the bytes of some at a time to take.
func (s *source) each(n int64, k kind, what string, take func(raw []byte)) error {
	if err := s.holds(n, int64(k.bytes), what); err != nil {
		return err
	}
	buf := make([]byte, min(n*int64(k.bytes), pieceBytes))
	for n > 0 {
		some := min(n, int64(pieceBytes/k.bytes))
		raw := buf[:some*int64(k.bytes)]
		if err := s.full(raw, what); err != nil {
			return err
		}
		take(raw)
		n -= some
	}
	return nil
}

// room returns the initial capacity for n numbers: for all of them, if the file is known to be long enough.
func (s *source) room(n int64) int64 {
	if s.size >= 0 {
		return n
	}
	return min(n, pieceBytes)
}

// integers reads whole numbers.
func (s *source) integers(n int64, k kind, what string) ([]int64, error) {
	if err := s.holds(n, int64(k.bytes), what); err != nil {
		return nil, err
	}
	v := make([]int64, 0, s.room(n))
	err := s.each(n, k, what, func(raw []byte) {
		for ; len(raw) > 0; raw = raw[k.bytes:] {
			v = append(v, k.integer(raw, s.order))
		}
	})
	return v, err
}

// indices reads indices, which count from 0 and are below limit.
func indices[I int32 | int64](s *source, n int64, k kind, limit int64, what string) (v []I, err error) {
	if err := s.holds(n, int64(k.bytes), what); err != nil {
		return nil, err
	}
	v = make([]I, 0, s.room(n))
	start, bad := s.at, int64(-1)
	var index int64
	err = s.each(n, k, what, func(raw []byte) {
		for ; len(raw) > 0; raw = raw[k.bytes:] {
			i := k.integer(raw, s.order)
			if uint64(i) >= uint64(limit) && bad < 0 {
				bad, index = int64(len(v)), i
			}
			v = append(v, I(i))
		}
	})
	if err == nil && bad >= 0 {
		err = s.faultAt(start+bad*int64(k.bytes), "%s: index %d is outside 0 to %d", what, index, limit-1)
	}
	return v, err
}

// places is indices without a limit other than int32; larger ones become -1.
func (s *source) places(n int64, k kind, what string) ([]int32, error) {
	if err := s.holds(n, int64(k.bytes), what); err != nil {
		return nil, err
	}
	v := make([]int32, 0, s.room(n))
	err := s.each(n, k, what, func(raw []byte) {
		for ; len(raw) > 0; raw = raw[k.bytes:] {
			i := k.integer(raw, s.order)
			if i > math.MaxInt32 || i < 0 {
				i = -1
			}
			v = append(v, int32(i))
		}
	})
	return v, err
}

// floats reads values; imag is nil unless they are complex.
func (s *source) floats(n int64, k kind, what string) (v, imag []float64, err error) {
	if err := s.holds(n, int64(k.bytes), what); err != nil {
		return nil, nil, err
	}
	v = make([]float64, 0, s.room(n))
	if k.letter == 'c' {
		imag = make([]float64, 0, s.room(n))
	}
	err = s.each(n, k, what, func(raw []byte) {
		for ; len(raw) > 0; raw = raw[k.bytes:] {
			v = append(v, k.float(raw, s.order))
			if imag != nil {
				imag = append(imag, k.float(raw[k.bytes/2:], s.order))
			}
		}
	})
	return v, imag, err
}

// checkLines checks pointers to the first entries of rows (or columns), which begin at 0 and end at entries. It
// returns "" or what is wrong.
func checkLines(ptr []int64, entries int64) string {
	if len(ptr) == 0 || ptr[0] != 0 {
		return "the first is not 0"
	}
	for i := 1; i < len(ptr); i++ {
		if ptr[i] < ptr[i-1] || ptr[i] > entries {
			return fmt.Sprintf("number %d is %d, after %d, of %d entries", i+1, ptr[i], ptr[i-1], entries)
		}
	}
	if last := ptr[len(ptr)-1]; last != entries {
		return fmt.Sprintf("the last is %d, not the number of entries, %d", last, entries)
	}
	return ""
}

// lines is checkLines with an error.
func (s *source) lines(ptr []int64, entries int64, what string) error {
	if wrong := checkLines(ptr, entries); wrong != "" {
		return s.fault("%s: %s", what, wrong)
	}
	return nil
}

// spread returns the row of each entry, from pointers to the first entries of rows.
func spread(ptr []int64) []int32 {
	row := make([]int32, ptr[len(ptr)-1])
	for i := range len(ptr) - 1 {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			row[k] = int32(i)
		}
	}
	return row
}
