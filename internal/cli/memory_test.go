//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// needs matches two figures of a refusal: the bytes that are needed, and the limit or what is left below the limit.
var needs = regexp.MustCompile(`(?:take|takes|would take) ([\d.]+ [kMG]?B)[^,;]*, the limit is ([\d.]+ [kMG]?B)|: ([\d.]+ [kMG]?B) are needed, ([\d.]+ [kMG]?B) are left`)

// testCode is by how many bytes the peak of the executable of the tests may exceed a limit: it is 5 MB larger than mpsolve, and a system maps up to 39 MB of an
// executable that has just been linked, of which limits count 16.
const testCode = 5e6 + 23e6

// TestMaxMemory finds the least limit that is not refused, by the figures of the refusals, and compares it with the peak of the
// resident set.
func TestMaxMemory(t *testing.T) {
	if host.RaceDetector {
		t.Skip("the race detector takes several times the memory")
	}
	dir := t.TempDir()
	run := func(args ...string) (errOut string, peak int64, code int) {
		c := testsupport.Command(t, "mpsolve", args...)
		c.Dir = dir
		var text strings.Builder
		c.Stderr = &text
		out, _ := c.Output() // the exit code tells whether it failed
		var report struct {
			Bytes struct {
				Peak int64 `json:"peak_rss"`
			}
		}
		if c.ProcessState.ExitCode() != exitFailure && args[0] == "solve" {
			if err := json.Unmarshal(out, &report); err != nil || report.Bytes.Peak == 0 {
				t.Fatalf("%v: %s", err, out)
			}
		}
		return text.String(), report.Bytes.Peak, c.ProcessState.ExitCode()
	}
	if out, _, code := run("generate", "poisson2d", "--n", "300", "--output", "a.mtx"); code != 0 {
		t.Fatal(out)
	}
	cases := []string{"none", "ilu0", "amg"}
	if testing.Short() {
		cases = cases[1:2]
	}
	for _, precond := range cases {
		limit := int64(60e6)
		for tries := 0; ; tries++ {
			out, peak, code := run("solve", "a.mtx", "--precond", precond, "--max-iter", "10", "--json", "--max-memory", fmt.Sprint(limit))
			if code != exitFailure {
				if code != 0 && code != exitNotConverged {
					t.Errorf("%s: exit code %d\n%s", precond, code, out)
				}
				if peak > limit+testCode {
					t.Errorf("%s takes %s with a limit of %s", precond, humanize.Bytes(uint64(peak)), humanize.Bytes(uint64(limit)))
				}
				t.Logf("%-5s limit %s, peak %s, after %d refusals", precond, humanize.Bytes(uint64(limit)), humanize.Bytes(uint64(peak)), tries)
				break
			}
			said := needs.FindStringSubmatch(out)
			if said == nil || strings.Count(out, "\n") != 1 || tries > 12 {
				t.Fatalf("%s with %d bytes: %s", precond, limit, out)
			}
			need, _ := humanize.ParseBytes(said[1] + said[3])
			had, _ := humanize.ParseBytes(said[2] + said[4])
			limit += max(int64(need)-int64(had), 1e6) + 1e6 // the figures are rounded
		}
	}
	if matches, _ := filepath.Glob(filepath.Join(dir, ".mpsolve*")); len(matches) > 0 {
		t.Errorf("left: %q", matches)
	}
}
