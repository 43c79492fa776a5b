package cli

import (
	"archive/tar"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A matrix of the collection is fetched once, and then its name stands for it in all commands.
func TestFetch(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "poisson2d_20.mtx"))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/MM/HB/small.tar.gz" {
			http.NotFound(w, r)
			return
		}
		z := gzip.NewWriter(w)
		a := tar.NewWriter(z)
		_ = a.WriteHeader(&tar.Header{Name: "small/small.mtx", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))})
		_, _ = a.Write(text)
		_ = a.Close()
		_ = z.Close()
	}))
	defer server.Close()
	folder := t.TempDir()
	t.Setenv(mirrorVariable, server.URL)
	t.Setenv(folderVariable, folder)
	file, zeros := filepath.Join(folder, "HB", "small", "small.mtx"), strings.Repeat("0", 64)
	for _, c := range []struct {
		args      string
		code      int
		out, err  string
		downloads int
	}{
		{"solve HB/small", 4, "", "mpsolve fetch HB/small downloads the matrix of this name", 0},
		{"fetch HB/small", 0, file + "\n", "", 1},
		{"fetch HB/small", 0, file + "\n", "", 0},
		{"fetch HB/small --again", 0, file + "\n", "", 1},
		{"solve HB/small --quiet", 0, "converged", "", 0},
		{"info HB/small", 0, "400 x 400", "", 0},
		{"fetch HB/small --sha256 " + zeros, 4, "", "the SHA-256 of its archive is", 0},
		{"fetch HB/small --again --sha256 " + zeros, 4, "", "not " + zeros, 1},
		{"fetch HB/small --again --sha256 00", 2, "", "want 64 hexadecimal digits", 0},
		{"solve HB/small --quiet", 0, "converged", "", 0}, // the refused archive has not replaced it
		{"fetch HB/none", 4, "", "the collection has no such matrix (404)", 1},
		{"fetch small", 2, "", "want GROUP/NAME", 0},
		{"fetch", 2, "", "want GROUP/NAME", 0},
	} {
		asked = 0
		p := runJob(t, 1, func(int) []string { return strings.Fields(c.args) })[0]
		if p.code != c.code || !strings.Contains(p.out.String(), c.out) || !strings.Contains(p.err.String(), c.err) || asked != c.downloads {
			t.Errorf("%s: exit code %d, %d downloads, want %d and %d\n%s%s", c.args, p.code, asked, c.code, c.downloads, &p.out, &p.err)
		}
		if strings.Count(p.err.String(), "\n") > 1 {
			t.Errorf("%s: more than one line: %s", c.args, &p.err)
		}
	}
	server.Close()
	if p := runJob(t, 1, func(int) []string { return []string{"fetch", "HB/other"} })[0]; p.code != exitFailure {
		t.Errorf("without a connection: exit code %d, %s", p.code, &p.err)
	}
}
