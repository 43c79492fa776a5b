package lab

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestTiming(t *testing.T) {
	for _, c := range []struct {
		budget time.Duration
		want   int
	}{{0, 7}, {time.Hour, 7}, {1, 1}} {
		rounds, runs := 0, [2]int{}
		times, err := Timing{Repeat: 7, Budget: c.budget, Progress: func(round int) { rounds = round + 1 }}.
			Measure(t.Context(), Case{Run: func() { runs[0]++ }}, Warm(func() { runs[1]++ }))
		if err != nil || rounds != c.want || runs != [2]int{c.want, 2 * c.want} {
			t.Errorf("budget %v: %d rounds, runs %v, %v; want %d", c.budget, rounds, runs, err, c.want)
		}
		if len(times) != 2 || !(times[1].Min >= 0 && times[1].Median >= times[1].Min) {
			t.Errorf("times %v", times)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	lost := errors.New("device lost")
	after := Case{Run: func() { t.Error("ran after the end") }}
	if _, err := (Timing{Repeat: 7}).Measure(ctx, Case{Run: func() { cancel(lost) }}, after); !errors.Is(err, lost) {
		t.Errorf("stopped: %v", err)
	}
}

func TestMedian(t *testing.T) {
	if m := median([]float64{5, 1, 3}); m != 3 {
		t.Errorf("median of odd: %g", m)
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Errorf("median of even: %g", m)
	}
}

// twoPackages is a machine of two packages; one has a counter of memory.
func twoPackages() fstest.MapFS {
	root := fstest.MapFS{}
	for zone, name := range map[string]string{
		"intel-rapl:0": "package-0", "intel-rapl:0:0": "core", "intel-rapl:0:1": "dram",
		"intel-rapl:1": "package-1-die-0", "intel-rapl:2": "psys", "intel-rapl-mmio:0": "package-0",
	} {
		setCounter(root, zone, "name", name)
		setCounter(root, zone, "max_energy_range_uj", "262143328850")
		setCounter(root, zone, "energy_uj", "1000000")
	}
	setCounter(root, "intel-rapl", "enabled", "1")
	return root
}

func setCounter(root fstest.MapFS, zone, file, text string) {
	root[powercap+"/"+zone+"/"+file] = &fstest.MapFile{Data: []byte(text + "\n")}
}

func TestJoules(t *testing.T) {
	root := twoPackages()
	m, err := openEnergyMeter(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		zone   string
		microj int64
		want   float64
	}{
		{"intel-rapl:0", 1_000_000, 0},
		{"intel-rapl:0", 3_500_000, 2.5},
		{"intel-rapl:0:0", 99_000_000, 2.5},
		{"intel-rapl:0:1", 1_250_000, 2.75},
		{"intel-rapl:1", 262_143_328_849, 262_145.078849},
		{"intel-rapl:1", 999_999, 262_146.078849}, // beyond the limit
		{"intel-rapl:2", 99_000_000, 262_146.078849},
		{"intel-rapl-mmio:0", 99_000_000, 262_146.078849},
	} {
		setCounter(root, c.zone, "energy_uj", strconv.FormatInt(c.microj, 10))
		if j, err := m.Joules(); err != nil || j != c.want {
			t.Errorf("%s at %d: %v J, %v; want %v", c.zone, c.microj, j, err, c.want)
		}
	}
}

func TestNoEnergy(t *testing.T) {
	garbled := twoPackages()
	setCounter(garbled, "intel-rapl:0", "energy_uj", "-1")
	noLimit := twoPackages()
	delete(noLimit, powercap+"/intel-rapl:0/max_energy_range_uj")
	other := fstest.MapFS{}
	setCounter(other, "intel-rapl:0", "name", "psys")
	for _, c := range []struct {
		what, want string
		root       fs.FS
	}{
		{"no folder", "/sys/class/powercap shows no processor", fstest.MapFS{}},
		{"no package", "shows no processor", other},
		{"not root", "only root may read", forbidden{twoPackages()}},
		{"garbled", `intel-rapl:0/energy_uj holds "-1\n"`, garbled},
		{"no limit", "max_energy_range_uj", noLimit},
	} {
		if m, err := openEnergyMeter(c.root); m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, error %v; want %q", c.what, m, err, c.want)
		}
	}
	root := twoPackages()
	m, err := openEnergyMeter(root)
	if err != nil {
		t.Fatal(err)
	}
	m.root = forbidden{root}
	if _, err := m.Joules(); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("forbidden later: error %v", err)
	}
}

// forbidden denies reading the counters.
type forbidden struct{ fstest.MapFS }

func (f forbidden) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, "/energy_uj") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.Open(name)
}

func (f forbidden) ReadFile(name string) ([]byte, error) {
	if _, err := f.Open(name); err != nil {
		return nil, err
	}
	return f.MapFS.ReadFile(name)
}

// TestThisMachine only logs what this machine has.
func TestThisMachine(t *testing.T) {
	m, err := OpenEnergyMeter()
	if err != nil {
		t.Skip(err)
	}
	if j, err := m.Joules(); err != nil || j < 0 {
		t.Errorf("%v J, %v", j, err)
	}
}
