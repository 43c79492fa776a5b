// Package energy measures what processors and memory consume, by the counters of
// Intel's RAPL as Linux shows them in /sys/class/powercap. Processors of AMD appear
// there too, with packages alone.
package energy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// folder is where Linux shows the counters, below the root.
const folder = "sys/class/powercap"

// Meter sums up what has been consumed since it was opened. It is not for use by
// several goroutines at a time.
type Meter struct {
	root     fs.FS
	counters []counter
	micro    int64 // joules * 1e6 so far
}

// counter counts the microjoules of one zone up to a limit, and then from 0 again.
type counter struct {
	file  string
	limit int64
	last  int64
}

// Open starts a measurement. The error says why none is possible: there are no
// counters (another system, another processor, a virtual machine), or they may not
// be read; since 2020 only root may (CVE-2020-8694).
func Open() (*Meter, error) { return open(os.DirFS("/")) }

func open(root fs.FS) (*Meter, error) {
	m := &Meter{root: root}
	// Zones such as intel-rapl:0 and, below it, intel-rapl:0:1 lie side by side. Those
	// of intel-rapl-mmio show the same packages again.
	zones, _ := fs.Glob(root, folder+"/intel-rapl:*") // the pattern is right
	for _, zone := range zones {
		name, err := fs.ReadFile(root, path.Join(zone, "name"))
		if err != nil {
			return nil, unreadable(err)
		}
		if !counts(strings.TrimSpace(string(name))) {
			continue
		}
		c := counter{file: path.Join(zone, "energy_uj")}
		if c.limit, err = number(root, path.Join(zone, "max_energy_range_uj")); err != nil {
			return nil, err
		}
		if c.last, err = number(root, c.file); err != nil {
			return nil, err
		}
		m.counters = append(m.counters, c)
	}
	if len(m.counters) == 0 {
		return nil, fmt.Errorf("no energy is measured: /%s shows no processor of intel-rapl", folder)
	}
	return m, nil
}

// counts reports whether a zone is to be summed up. Cores are part of their package,
// and psys is the whole machine.
func counts(zone string) bool { return strings.HasPrefix(zone, "package-") || zone == "dram" }

// Joules returns what all packages, and their memory where it is counted, have
// consumed since Open. A counter starts again from 0 after 262 kJ or so, which takes
// a package at 250 W a quarter of an hour: call Joules more often than that, since it
// notices one new start only.
func (m *Meter) Joules() (float64, error) {
	for i := range m.counters {
		c := &m.counters[i]
		now, err := number(m.root, c.file)
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

// number reads a file that holds one number, 0 or more.
func number(root fs.FS, file string) (int64, error) {
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
