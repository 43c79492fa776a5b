//go:build !purego

package kernels

import "unsafe"

func mulSymmetricAVX512(sums []float64, p *SlotPanel, x []float64, r SymmetricRange) {
	if len(p.Groups) == 0 || len(x) == 0 {
		mulSymmetric(sums, p, x, r)
		return
	}
	c := newSymmetricCall(sums, p, x, r)
	c.tables = unsafe.Pointer(&slotTables)
	switch p.Block {
	case 2:
		symmetric2AVX512(&c)
	case 3:
		symmetric3AVX512(&c)
	case 4:
		symmetric4AVX512(&c)
	case 5:
		symmetric5AVX512(&c)
	case 6:
		symmetric6AVX512(&c)
	}
}

//go:noescape
func symmetric2AVX512(c *symmetricCall)

//go:noescape
func symmetric3AVX512(c *symmetricCall)

//go:noescape
func symmetric4AVX512(c *symmetricCall)

//go:noescape
func symmetric5AVX512(c *symmetricCall)

//go:noescape
func symmetric6AVX512(c *symmetricCall)
