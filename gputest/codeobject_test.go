package gputest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestKernels reads this project's code objects, whose kernels have no scratch and waves of 64 or 32.
func TestKernels(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "pkg", "gpu", "source", "code", "*.hsaco"))
	if err != nil || len(files) < 7 {
		t.Fatalf("%d code objects, %v", len(files), err)
	}
	for _, path := range files {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := CodeKernels(code)
		if err != nil || len(kernels) < 40 {
			t.Fatalf("%s: %d kernels, %v", path, len(kernels), err)
		}
		wave := 32
		if strings.Contains(path, "gfx9") {
			wave = 64
		}
		for name, k := range kernels {
			if k.Name != name || k.Wave != wave || k.Private != 0 || k.Threads != 256 || len(k.Arguments) < 2 || k.Arguments[0] != (CodeArgument{0, 4}) || k.Entry%256 != 0 {
				t.Errorf("%s: %+v", path, *k)
			}
		}
		for _, cut := range []int{0, 100, len(code) / 2} {
			if _, err := CodeKernels(code[:cut]); err == nil {
				t.Errorf("%s: the first %d bytes have kernels", path, cut)
			}
		}
	}
}

func TestUnpack(t *testing.T) {
	got, err := codeUnpack([]byte("\x83\xa1a\x93\x07\xcd\x01\x00\xc3\xd9\x02bc\x81\xa0\xc2\xa1d\xdc\x00\x01\xa1e"))
	want := map[string]any{"a": []any{7, 256, true}, "bc": map[string]any{"": false}, "d": []any{"e"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "\x81", "\xa4abc", "\xc1", "\xdd\xff\xff"} {
		if v, err := codeUnpack([]byte(bad)); err == nil || !strings.Contains(err.Error(), "MessagePack") {
			t.Errorf("%q: %v, %v", bad, v, err)
		}
	}
}
