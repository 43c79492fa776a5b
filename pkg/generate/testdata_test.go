package generate

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// TestTestdata makes the matrices of testdata again, by the command line in
// the comment of each file (see "make testdata").
func TestTestdata(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata")
	names, err := filepath.Glob(filepath.Join(dir, "*d_*.mtx*"))
	if err != nil || len(names) < 4 {
		t.Fatalf("matrices in %s: %v, %v", dir, names, err)
	}
	for _, name := range names {
		want := readText(t, name)
		command := strings.Split(want, "\n")[1]
		kind, p, err := parseCommand(command)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		k, _ := Find(kind)
		var got bytes.Buffer
		err = matrixmarket.Write(&got, mustGenerate(t, kind, p), matrixmarket.WriteOptions{
			Symmetric: k.Symmetric, Comments: []string{strings.TrimPrefix(command, "% ")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			t.Errorf("%s is not what %q makes", name, command)
		}
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(name) != ".gz" {
		return string(data)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	data, err = io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// parseCommand understands "% mpsolve generate kind --name value ...".
func parseCommand(comment string) (kind string, p Params, err error) {
	words := strings.Fields(comment)
	if len(words) < 4 || len(words)%2 != 0 || strings.Join(words[:3], " ") != "% mpsolve generate" {
		return "", nil, fmt.Errorf("no command line in %q", comment)
	}
	p = Params{}
	for i := 4; i < len(words); i += 2 {
		if p[strings.TrimPrefix(words[i], "--")], err = strconv.ParseFloat(words[i+1], 64); err != nil {
			return "", nil, err
		}
	}
	return words[3], p, nil
}
