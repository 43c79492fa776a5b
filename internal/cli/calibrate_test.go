package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// A model is read as it was written. A damaged file is an error that says what to do.
func TestReadModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	if m, err := readModel(path); m != nil || err != nil {
		t.Errorf("no file: %v, %v", m, err)
	}
	data, err := json.Marshal(adaptive.ModelOf(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data string
		good bool
	}{
		{string(data), true}, {string(data[:len(data)/2]), false}, {"", false}, {"{}", false},
	} {
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := readModel(path)
		switch {
		case c.good && (err != nil || *m != *adaptive.ModelOf(nil)):
			t.Errorf("%v, %v", m, err)
		case !c.good && (err == nil || !strings.Contains(err.Error(), "calibrate --remove")):
			t.Errorf("%q: %v", c.data, err)
		}
	}
	if m, err := readModel(filepath.Join(path, "model.json")); m != nil || err != nil {
		t.Errorf("below a file: %v, %v", m, err)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(path); err == nil {
		return // root may read any file
	}
	if m, err := readModel(path); m != nil || err != nil {
		t.Errorf("of another user: %v, %v", m, err)
	}
}
