package cli

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/pflag"
)

// reasonSection matches a section of docs/reasons.md: a name, an exit code, a session and its output.
var reasonSection = regexp.MustCompile("(?s)## ([^\n]+)\n\nExit code (\\d+)\\..*?```sh\n(.*?)```\n\n```text\n(.*?)\n```")

// TestInterruptedReasonsPage runs the sessions of docs/reasons.md. Each ends with the exit code and the words on the page, and
// no Reason is missing.
func TestInterruptedReasonsPage(t *testing.T) {
	t.Parallel()
	text := page(t, "docs/reasons.md")
	seen := map[string]bool{}
	for _, m := range reasonSection.FindAllStringSubmatch(text, -1) {
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
	if strings.Count(text, "\n## ") != len(seen) {
		t.Errorf("%d sections, of which %d can be run", strings.Count(text, "\n## "), len(seen))
	}
}

// The session of a section, and lines of what it prints.
var (
	taskSession = regexp.MustCompile("(?s)```sh\n(.*?)```")
	taskOutput  = regexp.MustCompile("(?s)```text\n(.*?)\n```")
)

// TestTutorials runs the sessions of docs/tasks.md and docs/adaptive-precision.md: each ends well, and prints the lines that the
// page shows. The binding's tests run what the page has in Python.
func TestTutorials(t *testing.T) {
	t.Parallel()
	tasks := strings.Split(page(t, "docs/tasks.md"), "\n## ")[1:]
	if len(tasks) != 10 {
		t.Errorf("%d tasks, want ten", len(tasks))
	}
	for _, section := range append(tasks, page(t, "docs/adaptive-precision.md")) {
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
			runSession(t, session[1], shown[1])
		})
	}
}

// runSession runs a session of a tutorial in a shell. It must print the lines of shown in their order.
func runSession(t *testing.T, session, shown string) {
	if _, err := exec.LookPath("mpirun"); err != nil && strings.Contains(session, "mpirun") {
		t.Skip("no mpirun here")
	}
	cmd := testsupport.Command(t, "sh", "-e", "-c", session)
	cmd.Dir = t.TempDir()
	cmd.Env = append(cmd.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	left := string(out)
	for line := range strings.SplitSeq(shown, "\n") {
		at := strings.Index(left, line)
		if at < 0 {
			t.Fatalf("%q is missing, or not in this order:\n%s", line, out)
		}
		left = left[at+len(line):]
	}
}

// page reads a page of the repository.
func page(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Commands of mpsolve in code: what stands before one in its line, and what ends it.
var (
	commandOfLine = regexp.MustCompile(`(?:^|[|;&] *)(?:\$ )?(?:\w+=\S+ )*(?:(?:mpirun|srun|podman run|apptainer exec)\b[^|;&]*? |timeout .* )?(?:bin/)?mpsolve( [^|;&<>]*)?`)
	codeSpan      = regexp.MustCompile("`mpsolve( [^`]*)`")
	endOfCommand  = regexp.MustCompile(`\s(?:2?>|# |   +|\.\.\.).*$`)
)

// TestCommandsOfPages parses every command of mpsolve in the README and docs: the command, its flags and the type of their values must
// exist. A block of type sh is run as well, so that there are such blocks only on pages whose sessions a test runs.
func TestCommandsOfPages(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range append(pages, filepath.Join("..", "..", "README.md")) {
		base := filepath.Base(name)
		text := page(t, filepath.ToSlash(strings.TrimPrefix(name, filepath.Join("..", "..")+string(filepath.Separator))))
		if strings.Contains(text, "```sh\n") && !slices.Contains([]string{"tasks.md", "reasons.md", "adaptive-precision.md"}, base) {
			t.Errorf("%s has a block of type sh, which no test runs", base)
		}
		var commands []string
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			commands = append(commands, m[1])
		}
		fenced := false
		for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced || strings.HasPrefix(line, "    ") {
				for _, m := range commandOfLine.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
					commands = append(commands, m[1])
				}
			}
		}
		for _, command := range commands {
			count++
			if err := parses(strings.Fields(endOfCommand.ReplaceAllString(command, ""))); err != nil {
				t.Errorf("%s: mpsolve%s: %v", base, command, err)
			}
		}
	}
	if count < 200 {
		t.Errorf("only %d commands found: the test does not read the pages as they are written", count)
	}
}

// parses reports a command that does not exist, or flags that it does not take. Words in capitals stand for others, variables of the
// shell for numbers, and a flag may be named without its value.
func parses(words []string) error {
	for k, w := range words {
		if strings.HasPrefix(w, "$") {
			words[k] = "1"
		}
	}
	root := newRoot(streams{out: io.Discard, err: io.Discard})
	c, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	err = c.ParseFlags(rest)
	if bare := (*pflag.ValueRequiredError)(nil); err != nil && !errors.Is(err, pflag.ErrHelp) && !errors.As(err, &bare) {
		return err
	}
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 && strings.ToUpper(args[0]) != args[0] {
		return c.ValidateArgs(args)
	}
	return nil
}

// TestWrongCommand: parses sees what TestCommandsOfPages looks for.
func TestWrongCommand(t *testing.T) {
	for _, command := range []string{"solv a.mtx", "solve a.mtx --tolerance 1", "solve --max-iter many", "bench everything"} {
		if parses(strings.Fields(command)) == nil {
			t.Errorf("mpsolve %s: no error", command)
		}
	}
}

// lastLine returns the last line of a session.
func lastLine(session string) string {
	lines := strings.Split(strings.TrimSpace(session), "\n")
	return lines[len(lines)-1]
}

// TestExperimentOfPage: docs/reproduction.md shows the experiment and the output that the script ownexperiment.txtar tests.
func TestExperimentOfPage(t *testing.T) {
	text := page(t, "docs/reproduction.md")
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
		if !strings.Contains(text, "\n"+block.String()+"\n") {
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
