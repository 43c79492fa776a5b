package cli

import (
	"testing"

	"github.com/mpsolve/mpsolve/pkg/gpu"
)

// emulated reports whether there is an emulated device.
func emulated(t testing.TB) bool {
	d, err := gpu.Open(gpu.Emulate, 0)
	if err != nil {
		t.Log(err)
		return false
	}
	d.Close()
	return true
}
