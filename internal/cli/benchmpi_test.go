package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// Rank 0 prints tables, or an object for each row.
func TestConcurrentBenchMPI(t *testing.T) {
	run := func(args string) printed {
		t.Helper()
		all := runJob(t, 2, func(int) []string { return strings.Fields("bench mpi --rows 2000 --repeat 1 " + args) })
		if text := all[1].out.String() + all[1].err.String(); text != "" || all[0].code != all[1].code {
			t.Errorf("%s: rank 1 ends with %d and prints %s", args, all[1].code, text)
		}
		return all[0]
	}
	p := run("--kinds stencil27 --json")
	measured := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(p.out.String()), "\n") {
		var row struct {
			Measured string
			Sent     struct{ Messages int } `json:"sent_per_iteration"`
			On       int                    `json:"on_ranks"`
			Ranks    int
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Ranks != 2 {
			t.Errorf("%s: %v", line, err)
		}
		if row.On == 2 && row.Sent.Messages != 2 {
			t.Errorf("%d messages: %s", row.Sent.Messages, line)
		}
		measured[row.Measured]++
	}
	if p.code != 0 || measured["message"] != 14 || measured["scaling"] != 4 {
		t.Errorf("exit code %d, %v\n%s", p.code, measured, p.err.String())
	}
	p = run("--kinds poisson3d,elasticity3d")
	for _, want := range []string{"ranks      2, of ", "dot, exact", "2 x 8 B", "poisson3d, weak", "elasticity3d, strong", "ranks 2"} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("no %q in\n%s%s", want, p.out.String(), p.err.String())
		}
	}
	for args, want := range map[string]string{
		"--kinds poisson2d":    "--kinds poisson2d: want poisson3d, stencil27, elasticity3d",
		"--iterations 0":       "want at least 1",
		"--rows 2000000000":    "a rank needs ",
		"x.mtx":                "takes no files",
		"--iterations 1000000": "want more rows, or fewer iterations",
	} {
		if p := run(args); p.code == 0 || !strings.Contains(p.err.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, p.code, p.err.String())
		}
	}
}
