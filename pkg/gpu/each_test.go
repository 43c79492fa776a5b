package gpu

import "testing"

// eachDevice runs a test on the emulated device and on every device of this machine; short
// runs, those under a race detector for example, have the emulated one alone.
func eachDevice(t *testing.T, f func(t *testing.T, d *Device)) {
	t.Run(string(Emulate), func(t *testing.T) { f(t, emulated(t)) })
	for _, b := range Backends {
		if testing.Short() {
			break
		}
		t.Run(string(b), func(t *testing.T) {
			d, err := Open(b, 0)
			if err != nil {
				t.Skip(err)
			}
			f(t, opened(t, d))
		})
	}
}

// emulated opens the emulated device, or skips.
func emulated(t testing.TB) *Device {
	t.Helper()
	if !built {
		t.Skip("GPU support is not in this build")
	}
	d, err := Open(Emulate, 0)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, d)
}

// opened sees to it that a device is closed and everything on it has been released.
func opened(t testing.TB, d *Device) *Device {
	t.Cleanup(func() {
		d.Close()
		if d.live != 0 {
			t.Errorf("%d buffers were not released", d.live)
		}
		if err := d.Err(); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	return d
}
