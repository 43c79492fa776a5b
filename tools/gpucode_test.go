package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func committed(t *testing.T, name string) []byte {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("..", source, name))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// The committed files pass, and faults planted into them do not.
func TestLook(t *testing.T) {
	for _, target := range gpucodeTargets {
		code := committed(t, target.file)
		if _, err := target.look(code); err != nil {
			t.Errorf("%s: %v", target.name, err)
		}
		planted := 0
		for _, fault := range []struct{ before, after string }{
			{"\tret;", "\tld.local.f64 \t%fd1, [%SPL];"},
			{"\tret;", "\tcall.uni (retval0), f, ();"},
			{"\tret;", "\t@%p1 call f;"},
			{"\tret;", "\t.local .align 8 .b8 \t__local_depot0[16];"},
			{"\n.visible .entry", "\n.visible .func"},
			{".private_segment_fixed_size\x00", ".private_segment_fixed_size\x08"},
			{".sgpr_spill_count\x00", ".sgpr_spill_count\x01"},
			{".vgpr_spill_count\x00", ".vgpr_spill_count\x7f"},
			{".vgpr_spill_count\x00", ".vgpr_spilt_count\x00"},
		} {
			bad := bytes.Replace(code, []byte(fault.before), []byte(fault.after), 1)
			if bytes.Equal(bad, code) {
				continue // of the other kind
			}
			planted++
			if summary, err := target.look(bad); err == nil {
				t.Errorf("%s with %q: %s", target.name, fault.after, summary)
			}
		}
		if planted < 4 {
			t.Errorf("%s: %d faults planted", target.name, planted)
		}
		if _, err := target.look(nil); err == nil {
			t.Errorf("%s: an empty file passes", target.name)
		}
	}
}
