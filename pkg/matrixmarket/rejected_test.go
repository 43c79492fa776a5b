package matrixmarket

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func rejections() []rejection {
	return slices.Concat(rejectedFiles, rejectedBanners, rejectedSizes, rejectedEntries)
}

// TestRejected compares the exact error text of everything that is refused.
func TestRejected(t *testing.T) {
	for _, test := range rejections() {
		t.Run(test.name, func(t *testing.T) {
			for way, read := range map[string]func(string, Options) (*Content, error){"stream": readString, "file": readPlain} {
				for _, opt := range []Options{{}, {Threads: 3, pieceSize: 5}} {
					_, err := read(test.text, opt)
					if err == nil {
						t.Fatalf("%s: no error", way)
					}
					if err.Error() != test.want {
						t.Errorf("%s: got  %s\nwant %s", way, err, test.want)
					}
				}
			}
		})
	}
}

// The errors that the documentation shows must be what the package says.
func TestDocumentedErrors(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "matrix-market.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "x.mtx:") {
			continue
		}
		shown++
		if !slices.ContainsFunc(rejections(), func(r rejection) bool { return r.want == line }) {
			t.Errorf("no test has the error %s", line)
		}
	}
	if shown < 10 {
		t.Errorf("only %d errors are shown", shown)
	}
}
