package matrixio_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/internal/testsupport"
)

// reader is the environment variable with the file that this program maps, cuts and reads instead of running tests.
const reader = "MAPPING_READER"

// printed is the variable with the text of standard output before Object's; silent is one that keeps Object's text
// away.
const (
	printed = "MAPPING_PRINTED"
	silent  = "silent"
)

const size = 64 << 10

func TestMain(m *testing.M) {
	if path := os.Getenv(reader); path != "" {
		read(path)
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// read reads a part that is no longer in the file.
func read(path string) {
	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	if object := os.Getenv(printed); object != "" {
		matrixio.Object = func(text string) string { return object + text }
		if object == silent {
			matrixio.OutputUsed()
		}
	}
	m := matrixio.Map(f, size)
	if err := os.Truncate(path, 100); err != nil {
		panic(err)
	}
	println(m.Bytes[size-1])
}

// opened returns a file of that size, and its mapping.
func opened(t *testing.T) (path string, m *matrixio.Mapping) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if m = matrixio.Map(f, size); m == nil {
		t.Skip("nothing is mapped on this system, or without cgo")
	}
	return path, m
}

func TestMap(t *testing.T) {
	path, m := opened(t)
	if len(m.Bytes) != size || m.Bytes[size-1] != 'x' {
		t.Fatalf("%d bytes, the last %q", len(m.Bytes), m.Bytes[size-1])
	}
	m.Bytes[0] = 'y'
	if data, err := os.ReadFile(path); err != nil || data[0] != 'x' {
		t.Errorf("what was written to memory is in the file: %v", err)
	}
	if err := m.Intact(); err != nil {
		t.Error(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := m.Intact(); err == nil || !strings.Contains(err.Error(), "has been written to") {
		t.Errorf("a file that was written to: %v", err)
	}
}

// The mapping of a file that is replaced, as by a rename, does not change.
func TestReplaced(t *testing.T) {
	path, m := opened(t)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := m.Intact(); err != nil || m.Bytes[size-1] != 'x' {
		t.Error(err)
	}
	if f, err := os.Open(os.DevNull); err != nil || matrixio.Map(f, 10) != nil || matrixio.Map(f, 0) != nil {
		t.Error("a device is mapped")
	}
}

// A process that reads a part that has been cut off says so instead of printing the state of Go's runtime, also on
// standard output if that is wanted and empty.
func TestCut(t *testing.T) {
	for object, wanted := range map[string]bool{"": false, "object ": true, silent: false} {
		path, _ := opened(t)
		c := testsupport.Command(t, os.Args[0])
		c.Env = append(os.Environ(), reader+"="+path, printed+"="+object)
		var errors strings.Builder
		c.Stderr = &errors
		out, err := c.Output()
		text, want := path+": the file has been cut off while it was in use", ""
		if wanted {
			want = object + text
		}
		if c.ProcessState.ExitCode() != 1 || errors.String() != "mpsolve: "+text+"\n" || string(out) != want {
			t.Errorf("%q: %v: %.300q and %.300q, want exit status 1, %q and that on standard error", object, err, out, errors.String(), want)
		}
	}
}
