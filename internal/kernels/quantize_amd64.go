//go:build !purego

package kernels

func quantizeVectors(m []int64, width []uint8, v []float64, scale float64) int {
	if len(v) == 0 {
		return 0
	}
	return quantizeAVX512(&m[0], &width[0], &v[0], len(v), scale)
}

//go:noescape
func quantizeAVX512(m *int64, width *uint8, v *float64, n int, scale float64) (zeros int)

// packTable is what packing to one width needs: lane l moves up to where its first
// bit is within a byte, then the bytes of even lanes, which have none in common, go
// to their places, and those of odd lanes.
type packTable struct {
	up              [Lanes]uint64
	even, odd       [64]byte
	hasEven, hasOdd uint64 // the bytes that even and odd lanes have a part in
	bytes           uint64 // of the slot
	bits            uint64 // of a lane
	flip            uint64 // the sign bit, or 0
	_               [3]uint64
}

var packTables = newPackTables()

func newPackTables() (t [MaxSlotWidth + 1]packTable) {
	for w := 8; w <= MaxSlotWidth; w++ {
		t[w].bytes, t[w].bits, t[w].flip = 1<<w-1, 1<<w-1, flipped(w)
		for l := range Lanes {
			bit := l * w
			t[w].up[l] = uint64(bit % 8)
			for d := bit / 8; d <= (bit+w-1)/8; d++ {
				from := byte(8*l + d - bit/8)
				if l%2 == 0 {
					t[w].even[d] = from
					t[w].hasEven |= 1 << d
				} else {
					t[w].odd[d] = from
					t[w].hasOdd |= 1 << d
				}
			}
		}
	}
	return t
}

func packVectors(dst []byte, m []int64, index *[Lanes]int64, size, w int) {
	if len(m) == 0 || w < 8 {
		packSlot(dst, m, index, size, w)
		return
	}
	packAVX512(&dst[0], &m[0], index, size, w, &packTables[w])
}

//go:noescape
func packAVX512(dst *byte, m *int64, index *[Lanes]int64, size, w int, t *packTable)
