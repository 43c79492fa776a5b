package matrixmarket

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// entry reads the words of a line that holds an entry, and appends it.
func (p *parser) entry(b *block, line text, words []token) *badToken {
	indices, values := p.indices(), p.values()
	if len(words) < indices+values {
		return bad(line.end(), "the line ends after %s, it must hold %s", plural(len(words), "number"), p.expected())
	}
	k := b.entries
	names, limits := [2]string{"row", "column"}, [2]int{p.rows, p.cols}
	for n := range indices {
		at, err := p.index(words[n], names[n], limits[n])
		if err != nil {
			return err
		}
		if n == 0 {
			b.row[k] = at
		} else {
			b.col[k] = at
		}
	}
	var parts [2]float64
	for n := range values {
		v, notes, err := p.value(words[indices+n])
		if err != nil {
			return err
		}
		for _, kind := range notes {
			b.note(kind)
		}
		parts[n] = v
	}
	if len(words) > indices+values {
		extra := words[indices+values]
		return bad(extra.column, "unexpected %s: the line must hold %s", quote(extra.s), p.expected())
	}
	if values > 0 {
		if p.parts > 1 {
			b.keepRest(words[indices].s, parts[0], p.parts)
		}
		b.val[k] = parts[0]
		if indices > 0 && parts[0] == 0 && parts[1] == 0 {
			b.zeros++
		}
	}
	if values > 1 {
		b.imag[k] = parts[1]
	}
	b.entries++
	return nil
}

// expected says what a line below the size line holds.
func (p *parser) expected() string {
	return [3][3]string{
		{"", "one value", "real and imaginary part"},
		{"an index", "index and value", "index, real and imaginary part"},
		{"row and column", "row, column and value", "row, column, real and imaginary part"},
	}[p.indices()][p.values()]
}

// index reads a row or column index and returns it counted from 0.
func (p *parser) index(w token, name string, limit int) (int32, *badToken) {
	n, err := strconv.ParseInt(w.s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, bad(w.column, "%s index %s is not a whole number", name, quote(w.s))
	case n < 0:
		return 0, bad(w.column, "%s index %s is negative: indices start at 1", name, cut(w.s))
	case n == 0:
		return 0, bad(w.column, "%s index 0: indices start at 1", name)
	case n > int64(limit):
		return 0, bad(w.column, "%s index %s is larger than the %s declared on line %d",
			name, cut(w.s), plural(limit, p.unit(name)), p.size.line)
	}
	return int32(n - 1), nil
}

func (p *parser) unit(name string) string {
	if p.Object == vectorObject {
		return "element"
	}
	return name
}

// value reads a value of the field of the file, with what is to be noted.
func (p *parser) value(w token) (float64, []noteKind, *badToken) {
	if p.Field == Integer || p.Field == unsigned {
		return p.wholeNumber(w)
	}
	v, notes, ok := parseValue(w.s)
	if !ok {
		return 0, nil, bad(w.column, "value %s is not a number", quote(w.s))
	}
	return v, notes, nil
}

// wholeNumber reads a value of an integer file.
func (p *parser) wholeNumber(w token) (float64, []noteKind, *badToken) {
	digits := strings.TrimLeft(w.s, "+-")
	if len(w.s)-len(digits) > 1 || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, nil, bad(w.column, "value %s is not a whole number, but the field is %v", quote(w.s), p.Field)
	}
	v, err := strconv.ParseFloat(w.s, 64)
	switch {
	case v < 0 && p.Field == unsigned:
		return 0, nil, bad(w.column, "value %s is negative, but the field is %v", cut(w.s), p.Field)
	case err != nil: // more than 308 digits
		return v, []noteKind{noteNonFinite, noteOverflow}, nil
	case p.parts <= 1 && len(digits) > 15 && !exact(w.s, v):
		return v, []noteKind{noteInexact}, nil
	}
	return v + 0, nil, nil // -0 + 0 is 0: whole numbers have no -0
}

// exact reports whether v is the whole number that s writes.
func exact(s string, v float64) bool {
	n, ok := new(big.Int).SetString(strings.TrimPrefix(s, "+"), 10)
	if !ok {
		return false
	}
	f, _ := big.NewFloat(v).Int(nil)
	return n.Cmp(f) == 0
}

// parseValue reads a real number in all its forms: decimal with an exponent in
// E, D or Q or without letter (1.5+100), nan, inf and infinity. Beyond float64
// it is rounded to infinity or zero.
func parseValue(s string) (v float64, notes []noteKind, ok bool) {
	decimal, isDecimal := normalise(s)
	if !isDecimal {
		switch strings.ToLower(strings.TrimLeft(s, "+-")) {
		case "nan", "inf", "infinity":
			v, err := strconv.ParseFloat(strings.TrimLeft(s, "+-"), 64)
			if s[0] == '-' {
				v = -v
			}
			return v, []noteKind{noteNonFinite}, err == nil && strings.LastIndexAny(s, "+-") <= 0
		}
		return 0, nil, false
	}
	v, _ = strconv.ParseFloat(decimal, 64)
	if math.IsInf(v, 0) {
		return v, []noteKind{noteNonFinite, noteOverflow}, true
	}
	return v, nil, true
}

// normalise checks that s is a decimal number and writes its exponent as
// strconv wants it.
func normalise(s string) (string, bool) {
	mantissa := strings.TrimLeft(s, "+-")
	if len(s)-len(mantissa) > 1 {
		return "", false
	}
	n := strings.IndexFunc(mantissa, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	exponent := ""
	if n >= 0 {
		mantissa, exponent = mantissa[:n], mantissa[n:]
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	if digits == "" || strings.Contains(digits, ".") {
		return "", false
	}
	if exponent == "" {
		return s, true
	}
	if strings.ContainsRune("eEdDqQ", rune(exponent[0])) {
		exponent = exponent[1:]
	}
	unsigned := exponent
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		unsigned = exponent[1:]
	}
	if unsigned == "" || strings.Trim(unsigned, "0123456789") != "" {
		return "", false
	}
	return sign(s) + mantissa + "e" + exponent, true
}

// sign returns the sign that s begins with, if any.
func sign(s string) string {
	if s[0] == '-' || s[0] == '+' {
		return s[:1]
	}
	return ""
}
