//go:build !amd64 || purego

package kernels

// slotsSIMD is AddSlots for this processor: there is none.
var slotsSIMD func(acc []float64, p *SlotPanel, x []float64)
