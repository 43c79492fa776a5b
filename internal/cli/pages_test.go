package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/rogpeppe/go-internal/txtar"
)

// reasonSection matches a section of docs/reasons.md: a name, an exit code, a session and its output.
var reasonSection = regexp.MustCompile("(?s)## ([^\n]+)\n\nExit code (\\d+)\\..*?```sh\n(.*?)```\n\n```text\n(.*?)\n```")

// TestInterruptedReasonsPage runs the sessions of docs/reasons.md. Each ends with the exit code and the words on the page, and
// no Reason is missing.
func TestInterruptedReasonsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reasons.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range reasonSection.FindAllStringSubmatch(string(page), -1) {
		name, session, words := m[1], m[3], m[4]
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, _ := strconv.Atoi(m[2])
			if strings.HasPrefix(lastLine(session), "timeout ") {
				if _, err := exec.LookPath("timeout"); err != nil {
					t.Skip("no timeout command here")
				}
			}
			cmd := testsupport.Command(t, "sh", "-c", session)
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			code := 0
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if code != want || !strings.Contains(string(out), words) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, want, words, out)
			}
		})
	}
	for _, r := range reasons() {
		if !seen[r.String()] {
			t.Errorf("docs/reasons.md has no section %q", r)
		}
	}
	if strings.Count(string(page), "\n## ") != len(seen) {
		t.Errorf("%d sections, of which %d can be run", strings.Count(string(page), "\n## "), len(seen))
	}
}

// The parts of a section of docs/tasks.md.
var (
	taskSession = regexp.MustCompile("(?s)```sh\n(.*?)```")
	taskOutput  = regexp.MustCompile("(?s)```text\n(.*?)\n```")
)

// TestInterruptedTasksPage runs the sessions of docs/tasks.md: each ends well, and prints the lines that the page shows. The binding's tests
// run what the page has in Python.
func TestInterruptedTasksPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "tasks.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(page), "\n## ")[1:]
	if len(sections) != 10 {
		t.Errorf("%d tasks, want ten", len(sections))
	}
	for _, section := range sections {
		name, _, _ := strings.Cut(section, "\n")
		session, shown := taskSession.FindStringSubmatch(section), taskOutput.FindStringSubmatch(section)
		if shown == nil || session == nil && !strings.Contains(section, "```python\n") {
			t.Errorf("%s: no session, or no output", name)
			continue
		}
		if session == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("mpirun"); err != nil && strings.Contains(session[1], "mpirun") {
				t.Skip("no mpirun here")
			}
			cmd := testsupport.Command(t, "sh", "-e", "-c", session[1])
			cmd.Dir = t.TempDir()
			cmd.Env = append(cmd.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			left := string(out)
			for line := range strings.Lines(shown[1] + "\n") {
				at := strings.Index(left, strings.TrimSuffix(line, "\n"))
				if at < 0 {
					t.Fatalf("%q is missing, or not in this order:\n%s", line, out)
				}
				left = left[at:]
			}
		})
	}
}

// lastLine returns the last line of a session.
func lastLine(session string) string {
	lines := strings.Split(strings.TrimSpace(session), "\n")
	return lines[len(lines)-1]
}

// TestExperimentOfPage: docs/reproduction.md shows the experiment and the output that the script ownexperiment.txtar tests.
func TestExperimentOfPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reproduction.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := txtar.ParseFile(filepath.Join("testdata", "script", "ownexperiment.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		if f.Name == "wrong.yaml" {
			continue
		}
		var block strings.Builder
		for line := range strings.Lines(strings.TrimRight(string(f.Data), "\n")) {
			if line != "\n" {
				block.WriteString("    ")
			}
			block.WriteString(line)
		}
		if !strings.Contains(string(page), "\n"+block.String()+"\n") {
			t.Errorf("docs/reproduction.md lacks %s as it is in the script, four spaces deep:\n%s", f.Name, block.String())
		}
	}
}

// reasons returns all reasons with which a solve ends.
func reasons() (list []krylov.Reason) {
	for r := krylov.Reason(-100); r < 100; r++ {
		if r != krylov.Running && !strings.HasPrefix(r.String(), "reason ") {
			list = append(list, r)
		}
	}
	return list
}
