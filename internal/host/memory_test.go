package host

import "testing"

func TestLesser(t *testing.T) {
	for _, c := range []struct{ known, size, want int64 }{
		{0, 0, 0}, {0, 5, 5}, {5, 3, 3}, {3, 5, 3}, {5, -1, 1}, // nothing left differs from unknown
	} {
		if got := lesser(c.known, c.size); got != c.want {
			t.Errorf("lesser(%d, %d) = %d, want %d", c.known, c.size, got, c.want)
		}
	}
}

func TestMemory(t *testing.T) {
	if all, free := Memory(), Available(); free < 0 || all > 0 && free > all {
		t.Errorf("%d available of %d", free, all)
	}
	if err := Exhausted(); err != nil {
		t.Error(err)
	}
	for _, l := range limits() {
		if used := l.used(); used < 0 || used > l.bytes {
			t.Errorf("%s: %d of %d used", l.name, used, l.bytes)
		}
	}
}
