package report

import "testing"

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		line            string
		indent, columns int
		want            string
	}{
		{"", 3, 10, ""},
		{"no limit at all, however long", 3, 0, "no limit at all, however long"},
		{"it fits", 3, 7, "it fits"},
		{"rhs     b = A·ones, which is a long text", 8, 28, "rhs     b = A·ones, which is\n        a long text"},
		{"a    b     c", 0, 20, "a    b     c"},
		{"averyveryverylongwordthatfitsnowhere at all", 2, 22, "averyveryverylongwordthatfitsnowhere\n  at all"},
		{"narrower than text can be", 4, 5, "narrower than text can\n    be"},
	} {
		if got := Wrap(c.line, c.indent, c.columns); got != c.want {
			t.Errorf("%q in %d columns:\n%s\nwant\n%s", c.line, c.columns, got, c.want)
		}
	}
}
