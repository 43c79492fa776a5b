package testsupport

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// A record holds the results of each case with each set of kernels. Its file has a line for each result of a case,
// "case [sets]: result".
type record map[string]map[string]string

func readRecord(path string) (record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := record{}
	for line := range strings.Lines(string(text)) {
		name, rest, found := strings.Cut(strings.TrimSuffix(line, "\n"), " [")
		sets, result, complete := strings.Cut(rest, "]: ")
		if !found || !complete {
			return nil, fmt.Errorf("%s: not a line of a record: %s", path, line)
		}
		for _, set := range strings.Fields(sets) {
			r.put(name, set, result)
		}
	}
	return r, nil
}

func (r record) put(name, set, result string) {
	if r[name] == nil {
		r[name] = map[string]string{}
	}
	r[name][set] = result
}

func (r record) write(path string) error {
	var lines []string
	for name, results := range r {
		sets := map[string][]string{}
		for _, set := range kernels.Names() {
			if result, ok := results[set]; ok {
				sets[result] = append(sets[result], set)
			}
		}
		for result, list := range sets {
			lines = append(lines, fmt.Sprintf("%s [%s]: %s\n", name, strings.Join(list, " "), result))
		}
	}
	slices.Sort(lines)
	return os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644)
}

// compare returns how the record differs from the results of a set and, on every processor, which results of other
// sets it lacks.
func (r record) compare(set string, got map[string]string) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(got)) {
		for _, other := range kernels.Names() {
			old, ok := r[name][other]
			switch {
			case !ok:
				fault("%s: not recorded for %s; -update records it on a processor that has this set", name, other)
			case other == set && old != got[name] && recorded(set):
				fault("%s: with %s it is %s, was %s", name, set, got[name], old)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if _, ok := got[name]; !ok {
			fault("%s: recorded, but there is no such case", name)
		}
	}
	return faults
}

// recorded reports whether the results of a set are recorded for this processor: on processors other than amd64, Go
// may fuse multiplications and additions, so that the portable kernels have other bits.
func recorded(set string) bool { return set != "portable" || runtime.GOARCH == "amd64" }

// CompareRecord compares the results of cases with every set of kernels of this processor with those recorded in a
// file, which must have every case for every set, whether this processor has the set or not. cases returns the
// results with the default set; for each other set the test runs again in its own process, except in short tests.
// With update the file is rewritten; results for sets that this processor lacks stay.
func CompareRecord(t *testing.T, path string, update bool, cases func(t *testing.T) map[string]string) {
	t.Helper()
	for _, s := range kernels.Sets() {
		t.Run(s.String(), func(t *testing.T) {
			switch {
			case s == kernels.Default():
				compareRecord(t, path, update && recorded(s.String()), s.String(), cases(t))
			case !testing.Short():
				runWithSet(t, s.String())
			}
		})
	}
}

func compareRecord(t *testing.T, path string, update bool, set string, got map[string]string) {
	r, err := readRecord(path)
	if err != nil && !update {
		t.Fatal(err)
	}
	if !update {
		for _, fault := range r.compare(set, got) {
			t.Error(fault)
		}
		return
	}
	updated := record{}
	for name, result := range got {
		for other, old := range r[name] {
			updated.put(name, other, old)
		}
		updated.put(name, set, result)
	}
	if err := updated.write(path); err != nil {
		t.Fatal(err)
	}
}

// runWithSet runs this subtest in its own process with another default set.
func runWithSet(t *testing.T, set string) {
	t.Helper()
	args := []string{"-test.run=^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	c := Command(t, os.Args[0], args...)
	c.Env = append(os.Environ(), kernels.Variable+"="+set)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
