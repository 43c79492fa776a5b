package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// departures has the files of the conformance collection whose verdict `info` does not follow, with the reason
// (docs/matrix-market.md).
var departures = map[string]string{
	"eye3_str.mtx": "the file as it is stored is legal",
}

// The exit codes of `mpsolve info` agree with the verdicts of the conformance collection: ACCEPT 0, REJECT 4, PERMISSIVE 0 with
// a warning, CHOICE any of these.
func TestConformance(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "conformance")
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Skip("no conformance files beside this checkout")
	}
	files := 0
	for line := range strings.Lines(string(index)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, "\t", 3)
		file, verdict := fields[0], fields[1]
		files++
		var out, errOut bytes.Buffer
		code := Main([]string{"info", filepath.Join(dir, file)}, nil, &out, &errOut)
		warned := strings.Contains(errOut.String(), "warning")
		ok := false
		switch verdict {
		case "ACCEPT":
			ok = code == 0
		case "REJECT":
			ok = code == exitInput
		case "PERMISSIVE":
			ok = code == 0 && warned
		case "CHOICE":
			ok = code == 0 || code == exitInput
		}
		if _, departs := departures[filepath.Base(file)]; ok == departs {
			t.Errorf("%s: verdict %s, exit code %d, %q (departs: %v)", file, verdict, code, errOut.String(), departs)
		}
		if n := strings.Count(errOut.String(), "\n"); code != 0 && n != 1 {
			t.Errorf("%s: %d lines of error: %q", file, n, errOut.String())
		}
	}
	if files < 120 {
		t.Errorf("only %d files", files)
	}
}
