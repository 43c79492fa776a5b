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

// powercap is where Linux shows the counters, below the root.
const powercap = "sys/class/powercap"

// EnergyMeter adds up the energy that processors and memory have used since it was
// opened, by the counters of Intel's RAPL as Linux shows them in /sys/class/powercap;
// processors of AMD appear there too, with packages alone. It is not for use by
// several goroutines at a time.
type EnergyMeter struct {
	root     fs.FS
	counters []energyCounter
	micro    int64 // joules * 1e6 so far
}

// energyCounter counts the microjoules of one zone up to a limit, and then from 0 again.
type energyCounter struct {
	file  string
	limit int64
	last  int64
}

// OpenEnergyMeter starts a measurement. The error says why none is possible: there are no
// counters (another system, another processor, a virtual machine), or they may not
// be read; since 2020 only root may (CVE-2020-8694).
func OpenEnergyMeter() (*EnergyMeter, error) { return openEnergyMeter(os.DirFS("/")) }

func openEnergyMeter(root fs.FS) (*EnergyMeter, error) {
	m := &EnergyMeter{root: root}
	// Zones such as intel-rapl:0 and, below it, intel-rapl:0:1 lie side by side. Those
	// of intel-rapl-mmio show the same packages again.
	zones, _ := fs.Glob(root, powercap+"/intel-rapl:*") // the pattern is right
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

// counts reports whether a zone is to be summed up. Cores are part of their package,
// and psys is the whole machine.
func counts(zone string) bool { return strings.HasPrefix(zone, "package-") || zone == "dram" }

// Joules returns what all packages, and their memory where it is counted, have
// used since OpenEnergyMeter. A counter starts again from 0 after 262 kJ or so, which takes
// a package at 250 W a quarter of an hour: call Joules more often than that, since it
// notices one new start only.
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
