// The benchmarks measure the speed of a machine: products y = A x on the host (product.go, spmv.go) and on a device,
// with whole solves (device.go, devicesolve.go), dense and ELL kernels through a memory accessor (accessor.go), the
// roofline (roofline.go), the bandwidth of memory (calibrate.go) and energy (timing.go). Timing takes all times. The
// benchmarks neither read files of matrices nor write to a terminal.
package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Timing says for how long cases are timed against each other.
type Timing struct {
	Repeat   int             // rounds, at least one
	Budget   time.Duration   // no round but the first begins after it; 0: no limit
	Progress func(round int) // called before each round, from 0; may be nil

	// Agree reports whether end holds on any rank. All ranks of a job time the same cases and call it together. It is
	// nil in a single process.
	Agree func(end bool) bool
}

// ends reports whether to end, because of this process or of another rank.
func (t Timing) ends(here bool) bool {
	if t.Agree == nil {
		return here
	}
	return t.Agree(here)
}

// errOtherRank is returned on the ranks that have not been stopped themselves.
var errOtherRank = errors.New("another rank has stopped")

// stopped returns the cause of ctx if ctx has ended on any rank.
func (t Timing) stopped(ctx context.Context) error {
	if !t.ends(ctx.Err() != nil) {
		return nil
	}
	return cmp.Or(context.Cause(ctx), errOtherRank)
}

// Case is one piece of work to time.
type Case struct {
	Prepare func() // called before each Run, untimed; may be nil
	Run     func()
}

// Warm returns a case that runs once untimed before each timed run, so that data that fits into the cache is in the
// cache, as in a solver.
func Warm(run func()) Case { return Case{run, run} }

// Time is the time of a case in seconds: the least, the median and the times of all rounds.
type Time struct {
	Min, Median float64
	Rounds      []float64
}

// Relative returns the ratio t / to for each round: a disturbance of both in the same round cancels. One call of
// Measure must have measured both.
func (t Time) Relative(to Time) []float64 {
	ratios := make([]float64, len(t.Rounds))
	for k, s := range t.Rounds {
		ratios[k] = s / to.Rounds[k]
	}
	return ratios
}

// per returns the times of a single product, given the times of n products that were timed together.
func (t Time) per(n int) Time {
	one := Time{Min: t.Min / float64(n), Median: t.Median / float64(n)}
	for _, s := range t.Rounds {
		one.Rounds = append(one.Rounds, s/float64(n))
	}
	return one
}

// Measure times the cases interleaved, each once in every round, so that disturbances of the machine fall on all of
// them alike. It returns early with the cause of ctx.
func (t Timing) Measure(ctx context.Context, cases ...Case) ([]Time, error) {
	seconds := make([][]float64, len(cases))
	begin := time.Now()
	for round := range max(1, t.Repeat) {
		if round > 0 && t.Budget > 0 && t.ends(time.Since(begin) >= t.Budget) {
			break
		}
		if t.Progress != nil {
			t.Progress(round)
		}
		for k, c := range cases {
			if err := t.stopped(ctx); err != nil {
				return nil, err
			}
			if c.Prepare != nil {
				c.Prepare()
			}
			start := time.Now()
			c.Run()
			seconds[k] = append(seconds[k], time.Since(start).Seconds())
		}
	}
	if err := t.stopped(ctx); err != nil {
		return nil, err
	}
	times := make([]Time, len(cases))
	for k, s := range seconds {
		times[k] = timeOf(s)
	}
	return times, nil
}

// timeOf returns the time of a case, given the seconds of its rounds.
func timeOf(rounds []float64) Time {
	return Time{slices.Min(rounds), median(slices.Clone(rounds)), rounds}
}

// median returns the median of s, which it sorts.
func median(s []float64) float64 {
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// sortedKeys returns the keys of a map in increasing order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) iter.Seq[K] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}

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
