package report

import (
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/csr"
)

// The dots show the entries: a diagonal, and the last column of the first row.
func TestSpy(t *testing.T) {
	m, err := csr.New(8, 8, []int{0, 2, 3, 4, 5, 6, 7, 8, 9}, []int{0, 7, 1, 2, 3, 4, 5, 6, 7}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	b := &narrow{columns: 8}
	Spy(b, m) // 8 columns, so that a dot is at most one entry
	want := "pattern    a dot for each entry\n ┌────┐\n │⠑⢄⠀⠈│\n │⠀⠀⠑⢄│\n └────┘\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b = &narrow{columns: 6}
	if Spy(b, m); !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "a dot where a part of about 2 x 2 has entries") {
		t.Errorf("got\n%s", b.String())
	}
	for _, c := range [][5]int{{100, 100, 72, 19, 38}, {100, 100, 20, 10, 20}, {1, 1000, 72, 1, 72}, {1000, 1, 72, 19, 1}, {1 << 31, 1 << 31, 72, 19, 38}} {
		if r, n := spySize(c[0], c[1], c[2]); r != c[3] || n != c[4] {
			t.Errorf("%v: %d x %d", c, r, n)
		}
	}
}

// narrow is a terminal with that many columns.
type narrow struct {
	strings.Builder
	columns int
}

func (n *narrow) Columns() int  { return n.columns }
func (n *narrow) Colored() bool { return false }
