package packed

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/formats"
)

// The elements of a width count for the narrowest AFX format that holds them, tiny ones for FP32.
func TestStored(t *testing.T) {
	tally := Tally{Floats: 3, FloatBytes: 12}
	for w := 1; w <= MaxWidth; w++ {
		tally.Elements[w], tally.Bytes[w] = 1, int64(w)
	}
	for name, want := range map[string]struct {
		elements int
		bytes    int64
	}{
		"AFX8": {8, 36}, "AFX16": {8, 100}, "AFX48": {8, 356}, "AFX56": {8, 420}, "FP32": {3, 12},
	} {
		if n, bytes := tally.Stored(formats.MustLookup(name)); n != want.elements || bytes != want.bytes {
			t.Errorf("%s: %d elements in %d bytes, want %d in %d", name, n, bytes, want.elements, want.bytes)
		}
	}
}
