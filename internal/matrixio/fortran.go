package matrixio

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// fortran is a format of Fortran for numbers of one kind, such as (16I5) or (1P,4D20.12).
type fortran struct {
	scale  int // kP: what has no exponent is in units of 10^-k
	repeat int
	letter byte // I, or E for all real ones
	width  int
	digits int // behind the decimal point, of what has none
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

// value reads a number as Fortran does: D is an exponent, which may also be a sign alone; without a decimal point the last digits are
// behind it. What is too large is infinity, as in Matrix Market files.
func (f fortran) value(word []byte) (float64, error) {
	text := string(word)
	if !bytes.ContainsAny(word, "nN") { // no NaN, no infinity
		text = f.decimal(text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	return v, err
}

// decimal is a number of Fortran as others write it.
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
		return text // which is no number
	}
	return mantissa + "e" + strconv.Itoa(e+shift)
}
