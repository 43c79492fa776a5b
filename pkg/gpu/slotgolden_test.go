package gpu

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

var update = flag.Bool("update", false, "rewrite testdata/slots.txt and testdata/ratchet.txt")

// Streams of slots have the bits that they had, whatever the device.
func TestSlotsGolden(t *testing.T) {
	d := emulated(t)
	var text strings.Builder
	matrices := slotMatrices(t)
	for _, name := range []string{"poisson2d", "poisson3d", "elasticity3d", "powerlaw", "stencil27", "range", "dense row", "far", "blocks 2", "long block rows"} {
		for _, l := range []adaptive.Layout{adaptive.LayoutAuto, adaptive.Slots, adaptive.Diagonals} {
			for _, c := range adaptive.Criteria {
				for _, eps := range []float64{0x1p-24, 0x1p-53} {
					s := afx(t, c, eps)
					s.Layout = l
					a := slotted(t, d, matrices[name], s, 2)
					fmt.Fprintf(&text, "%s, %s, %q: %s, %08x\n", name, s, l, a.LayoutText(), uint32(slotsHash(a)))
				}
			}
		}
	}
	path := filepath.Join("testdata", "slots.txt")
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(text.String(), "\n"), strings.Split(string(old), "\n")
	for k := range min(len(got), len(want)) {
		if got[k] != want[k] {
			t.Errorf("%s, was %s", got[k], want[k])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, were %d", len(got), len(want))
	}
}

// slotsHash is a hash of what is uploaded, and of the statistics.
func slotsHash(a Matrix) uint64 {
	o := readBack(a)
	end := make([]uint32, len(o.ptr)+1)
	download(a.(*deviceMatrix).d, end, a.(*deviceMatrix).stored.(*slotStorage).ptr)
	h := fnv.New64a()
	for _, v := range []any{end, o.stream[:end[len(o.ptr)]], o.exps, o.row, o.first} {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	fmt.Fprintf(h, "%+v", a.Stats().Formats)
	return h.Sum64()
}
