package codeobject

import (
	"errors"
	"fmt"
)

var errShort = errors.New("MessagePack: cut off")

// unpack reads the MessagePack of a code object's note: maps by strings, lists, strings,
// integers that are not negative, truth values.
func unpack(b []byte) (v any, err error) {
	r := reader{b}
	defer func() {
		if e, ok := recover().(error); ok {
			v, err = nil, e
		}
	}()
	return r.value(), nil
}

type reader struct{ b []byte }

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		panic(errShort)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// number reads n bytes, the highest first.
func (r *reader) number(n int) (v int) {
	for _, c := range r.take(n) {
		v = v<<8 | int(c)
	}
	return v
}

func (r *reader) value() any {
	switch c := r.number(1); {
	case c < 0x80:
		return c
	case c < 0x90:
		return r.pairs(c & 15)
	case c < 0xa0:
		return r.list(c & 15)
	case c < 0xc0:
		return string(r.take(c & 31))
	case c == 0xc2 || c == 0xc3:
		return c == 0xc3
	case c >= 0xcc && c <= 0xcf:
		return r.number(1 << (c - 0xcc))
	case c >= 0xd9 && c <= 0xdb:
		return string(r.take(r.number(1 << (c - 0xd9))))
	case c == 0xdc || c == 0xdd:
		return r.list(r.number(2 << (c - 0xdc)))
	case c == 0xde || c == 0xdf:
		return r.pairs(r.number(2 << (c - 0xde)))
	default:
		panic(fmt.Errorf("MessagePack: type %#x, which is not known here", c))
	}
}

func (r *reader) list(n int) (l []any) {
	for range n {
		l = append(l, r.value())
	}
	return l
}

func (r *reader) pairs(n int) map[string]any {
	m := map[string]any{}
	for range n {
		key, _ := r.value().(string)
		m[key] = r.value()
	}
	return m
}
