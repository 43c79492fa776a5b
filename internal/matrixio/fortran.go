package matrixio

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// fortran is a Fortran format for numbers of one kind, such as (16I5) or (1P,4D20.12).
type fortran struct {
	scale  int // kP: numbers without an exponent are in units of 10^-k
	repeat int
	letter byte // I, or E for all real formats
	width  int
	digits int // after the decimal point, for numbers without one
}

var fortranFormat = regexp.MustCompile(`^\((?:(-?\d+)P,?)?(\d*)\(?(?:(-?\d+)P,?)?(\d*)([IEDFG])[A-Z]?(\d+)(?:\.(\d+))?(?:E\d+)?\)?\)$`)

// parseFortran reads a format.
func parseFortran(s string) (f fortran, ok bool) {
	m := fortranFormat.FindStringSubmatch(strings.ToUpper(strings.ReplaceAll(s, " ", "")))
	if m == nil {
		return f, false
	}
	number := func(s string, otherwise int) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			return otherwise
		}
		return n
	}
	f = fortran{
		scale: number(m[1], number(m[3], 0)), repeat: number(m[2], 1) * number(m[4], 1), letter: m[5][0],
		width: number(m[6], 0), digits: number(m[7], 0),
	}
	if f.letter != 'I' {
		f.letter = 'E'
	}
	ok = f.repeat >= 1 && f.width >= 1 && f.repeat <= longestHBLine && f.width <= longestHBLine && f.repeat*f.width <= longestHBLine &&
		f.digits <= 99 && f.scale >= -99 && f.scale <= 99
	return f, ok
}

// fields appends the first count numbers of a line to words, without the blanks around them. If there are blanks within one of them, and the line has
// just as many words, apart is set and the blanks tell the numbers apart: SciPy's hb_write declares a width that is one more than the one it writes.
func (f fortran) fields(words [][]byte, line []byte, count int) (all [][]byte, apart bool) {
	for k := range count {
		from := k * f.width
		word := bytes.Trim(line[min(from, len(line)):min(from+f.width, len(line))], " \t")
		words, apart = append(words, word), apart || bytes.ContainsAny(word, " \t")
	}
	if apart {
		if others := bytes.Fields(line); len(others) == count {
			return others, true
		}
	}
	return words, false
}

// value reads a number as Fortran does: D marks an exponent, and so may a sign alone; in a number without a decimal
// point the last digits are the decimals. Too large numbers become infinity, as in Matrix Market files.
func (f fortran) value(word []byte) (float64, error) {
	text := string(word)
	if !bytes.ContainsAny(word, "nN") { // neither NaN nor infinity
		text = f.decimal(text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	return v, err
}

// decimal returns a Fortran number in the usual notation.
func (f fortran) decimal(text string) string {
	mantissa, exponent, given := text, "", true
	if at := strings.IndexAny(text, "eEdDqQ"); at > 0 {
		mantissa, exponent = text[:at], text[at+1:]
	} else if at := strings.LastIndexAny(text, "+-"); at > 0 {
		mantissa, exponent = text[:at], text[at:]
	} else {
		given = false
	}
	shift := 0
	if f.letter == 'E' && !strings.Contains(mantissa, ".") {
		shift -= f.digits
	}
	if !given {
		exponent = "0"
		shift -= f.scale
	}
	if shift == 0 {
		return mantissa + "e" + exponent
	}
	e, err := strconv.Atoi(exponent)
	if err != nil {
		return text // which is not a number
	}
	return mantissa + "e" + strconv.Itoa(e+shift)
}
