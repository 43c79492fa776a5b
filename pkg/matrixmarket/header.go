package matrixmarket

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/host"
)

// object is the object that a file holds, the second word of its banner.
type object uint8

const (
	matrixObject object = iota
	vectorObject        // an extension: not in the format as NIST defines it
)

// Format is how entries are stored, the third word of the banner.
type Format uint8

const (
	Coordinate Format = iota // one line of indices and value for each entry
	Array                    // all values, column by column
)

// Field is the kind of the values, the fourth word of the banner.
type Field uint8

const (
	Real     Field = iota // "real" or "double"
	Integer               // whole numbers, kept as float64
	unsigned              // "unsigned-integer", an extension
	Pattern               // no values: every entry stands for 1
	Complex               // real and imaginary part
)

// Symmetry says which entries a file leaves out, the fifth word of the banner.
type Symmetry uint8

const (
	General       Symmetry = iota // none
	Symmetric                     // a(j,i) = a(i,j)
	SkewSymmetric                 // a(j,i) = -a(i,j), without the diagonal
	Hermitian                     // a(j,i) = conj(a(i,j))
)

// The words of the banner. An index into a list is the value of its type.
var (
	objectWords   = []string{"matrix", "vector"}
	formatWords   = []string{"coordinate", "array"}
	fieldWords    = []string{"real", "integer", "unsigned-integer", "pattern", "complex"}
	symmetryWords = []string{"general", "symmetric", "skew-symmetric", "hermitian"}
)

func (o object) String() string   { return word(objectWords, int(o)) }
func (f Format) String() string   { return word(formatWords, int(f)) }
func (f Field) String() string    { return word(fieldWords, int(f)) }
func (s Symmetry) String() string { return word(symmetryWords, int(s)) }

func word(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

// Header is the first line of a file, the banner.
type Header struct {
	Object   object
	Format   Format
	Field    Field
	Symmetry Symmetry
}

// String returns the banner line.
func (h Header) String() string {
	return fmt.Sprintf("%%%%MatrixMarket %v %v %v %v", h.Object, h.Format, h.Field, h.Symmetry)
}

// indices returns how many indices each line below the size line begins with.
func (h Header) indices() int {
	switch {
	case h.Format == Array:
		return 0
	case h.Object == vectorObject:
		return 1
	}
	return 2
}

// values returns how many values each line below the size line ends with.
func (h Header) values() int {
	switch h.Field {
	case Pattern:
		return 0
	case Complex:
		return 2
	}
	return 1
}

// stagedBytes returns the memory of one staged entry.
func (h Header) stagedBytes() int64 { return int64(4*h.indices() + 8*h.values()) }

// size is the size line with what it means for the lines below it.
type size struct {
	rows, cols int
	entries    int64 // lines that must follow
	line       int64 // where the size line stands
}

// banner reads the first line. It returns the header and warnings about what
// is not legal in it but has a clear meaning.
func (p *preamble) banner(line text) (Header, error) {
	words := line.words()
	first := words[0]
	switch name := strings.ToLower(first.s); {
	case name == "%%matrixmarket":
	case name == "%matrixmarket":
		p.warn("the banner on line %d begins with one %% instead of two", line.number)
	default:
		return Header{}, p.notBanner(line)
	}
	if first.column > 1 {
		p.warn("there are blanks in front of the banner on line %d", line.number)
	}
	var h Header
	parts := []struct {
		kind  string
		words []string
		set   func(int)
	}{
		{"object", objectWords, func(i int) { h.Object = object(i) }},
		{"format", formatWords, func(i int) { h.Format = Format(i) }},
		{"field", fieldWords, func(i int) { h.Field = Field(i) }},
		{"symmetry", symmetryWords, func(i int) { h.Symmetry = Symmetry(i) }},
	}
	if len(words) == 4 {
		if _, symmetry := lookUp(symmetryWords, words[3].s); symmetry {
			p.warn("the banner on line %d names no field: read as real", line.number)
			words = slices.Insert(words, 3, token{fieldWords[Real], words[3].column})
		}
	}
	for i, part := range parts {
		if i+1 >= len(words) {
			if part.kind == "symmetry" && h.Object == vectorObject {
				p.warn("the banner on line %d names no symmetry: read as general", line.number)
				break
			}
			return h, p.fault(line.number, line.end(), "the banner ends before the %s (one of %s)",
				part.kind, strings.Join(part.words, ", "))
		}
		w := words[i+1]
		k, ok := lookUp(part.words, w.s)
		if !ok {
			return h, p.fault(line.number, w.column, "unknown %s %s: did you mean %q? (one of %s)",
				part.kind, quote(w.s), host.NearestWord(w.s, part.words), strings.Join(part.words, ", "))
		}
		part.set(k)
	}
	if len(words) > 5 {
		return h, p.fault(line.number, words[5].column, "unexpected %s after the banner", quote(words[5].s))
	}
	return h, p.combination(h, line.number, words)
}

// combination refuses banners whose words do not go together.
func (p *preamble) combination(h Header, line int64, words []token) error {
	column := func(i int) int64 { return words[min(i, len(words)-1)].column }
	switch {
	case h.Object == vectorObject && h.Symmetry != General:
		return p.fault(line, column(4), "a vector cannot be %v: it must be general", h.Symmetry)
	case h.Format == Array && h.Field == Pattern:
		return p.fault(line, column(3), "an array cannot have the field pattern: it would hold no data")
	case h.Field == Pattern && h.Symmetry == SkewSymmetric:
		return p.fault(line, column(4), "a pattern cannot be skew-symmetric: it has no values to negate")
	case h.Symmetry == SkewSymmetric && h.Field == unsigned:
		return p.fault(line, column(4), "unsigned integers cannot be skew-symmetric")
	}
	if h.Object == vectorObject {
		p.warn("the object vector is an extension of the format: read as a matrix of one column")
	}
	if h.Field == unsigned {
		p.warn("the field unsigned-integer is an extension of the format")
	}
	if h.Symmetry == Hermitian && h.Field != Complex {
		p.warn("a hermitian matrix with the field %v is read as symmetric", h.Field)
	}
	return nil
}

// lookUp finds a word of the banner, whose case does not matter.
func lookUp(words []string, s string) (int, bool) {
	if strings.EqualFold(s, "double") {
		s = "real"
	}
	for i, w := range words {
		if strings.EqualFold(s, w) {
			return i, true
		}
	}
	return 0, false
}
