package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// powercap is the folder, below the root, where Linux shows the energy counters.
const powercap = "sys/class/powercap"

// EnergyMeter adds up the energy that processors and memory use since it was opened. It reads the counters of Intel's
// RAPL that Linux shows in /sys/class/powercap; processors of AMD appear there too, with packages only. It must not
// be used by several goroutines at a time.
type EnergyMeter struct {
	root     fs.FS
	counters []energyCounter
	micro    int64 // joules * 1e6 so far
}

// energyCounter is the counter of one zone: it counts microjoules up to a limit and then restarts at 0.
type energyCounter struct {
	file  string
	limit int64
	last  int64
}

// OpenEnergyMeter starts a measurement. The error says why none is possible: there are no counters (another system,
// another processor, a virtual machine), or reading them is not allowed; since 2020 only root may (CVE-2020-8694).
func OpenEnergyMeter() (*EnergyMeter, error) { return openEnergyMeter(os.DirFS("/")) }

func openEnergyMeter(root fs.FS) (*EnergyMeter, error) {
	m := &EnergyMeter{root: root}
	// Zones such as intel-rapl:0 and its part intel-rapl:0:1 lie side by side. The zones of intel-rapl-mmio show the
	// same packages again.
	zones, _ := fs.Glob(root, powercap+"/intel-rapl:*") // the pattern is valid
	for _, zone := range zones {
		name, err := fs.ReadFile(root, path.Join(zone, "name"))
		if err != nil {
			return nil, unreadable(err)
		}
		if !counts(strings.TrimSpace(string(name))) {
			continue
		}
		c := energyCounter{file: path.Join(zone, "energy_uj")}
		if c.limit, err = microjoules(root, path.Join(zone, "max_energy_range_uj")); err != nil {
			return nil, err
		}
		if c.last, err = microjoules(root, c.file); err != nil {
			return nil, err
		}
		m.counters = append(m.counters, c)
	}
	if len(m.counters) == 0 {
		return nil, fmt.Errorf("no energy is measured: /%s shows no processor of intel-rapl", powercap)
	}
	return m, nil
}

// counts reports whether a zone counts. Cores are part of their package, and psys is the whole machine.
func counts(zone string) bool { return strings.HasPrefix(zone, "package-") || zone == "dram" }

// Joules returns the energy that all packages, and their memory where it has a counter, have used since
// OpenEnergyMeter. A counter restarts at 0 after about 262 kJ, a quarter of an hour of a package at 250 W. Call
// Joules more often, since it notices one restart only.
func (m *EnergyMeter) Joules() (float64, error) {
	for i := range m.counters {
		c := &m.counters[i]
		now, err := microjoules(m.root, c.file)
		if err != nil {
			return 0, err
		}
		if now < c.last {
			m.micro += c.limit
		}
		m.micro += now - c.last
		c.last = now
	}
	return float64(m.micro) / 1e6, nil
}

// microjoules reads a file that holds one count.
func microjoules(root fs.FS, file string) (int64, error) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, unreadable(err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("no energy is measured: /%s holds %q, not a count", file, text)
	}
	return n, nil
}

func unreadable(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("no energy is measured: only root may read the counters, since CVE-2020-8694: %w", err)
	}
	return fmt.Errorf("no energy is measured: %w", err)
}
