package bandwidth

import "testing"

func TestSize(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct{ cache, memory, want int64 }{
		{260 * mb, 0, 1040 * mb},
		{8 * mb, 0, 256 * mb},
		{0, 0, 256 * mb},
		{1000 * mb, 0, 2048 * mb},
		{1000 * mb, 4096 * mb, 1024 * mb},
	} {
		if got := Size(c.cache, c.memory); got != c.want {
			t.Errorf("Size(%d, %d) = %d, want %d", c.cache, c.memory, got, c.want)
		}
	}
}

func TestMeterCountsSomething(t *testing.T) {
	m := NewMeter(1 << 20)
	for _, threads := range []int{1, 3} {
		for streams := 1; streams <= MaxStreams; streams++ {
			if b := m.Read(threads, streams); !(b > 0) {
				t.Errorf("read %g bytes/s with %d threads, %d streams", b, threads, streams)
			}
		}
		if b := m.Triad(threads); !(b > 0) {
			t.Errorf("triad %g bytes/s with %d threads", b, threads)
		}
	}
}

func TestTriadOnThreads(t *testing.T) {
	a, b, c := make([]float64, 5), []float64{1, 2, 3, 4, 5}, []float64{2, 4, 6, 8, 10}
	triad(a, b, c, 0.5)
	for i, v := range a {
		if v != 2*b[i] {
			t.Errorf("a[%d] = %g, want %g", i, v, 2*b[i])
		}
	}
}
