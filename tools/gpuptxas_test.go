package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The program in $PTXAS comes first, and a program that reports no release is not ptxas.
func TestFind(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ptxas")
	write := func(says string) {
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho '"+says+"'\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write("Cuda compilation tools, release 12.4, V12.4.131")
	t.Setenv("PTXAS", program)
	if path, err := find(); err != nil || path != program {
		t.Errorf("%s, %v", path, err)
	}
	if v, err := versionOf(program); err != nil || v != "12.4" {
		t.Errorf("%q, %v", v, err)
	}
	write("something else")
	if v, err := versionOf(program); err == nil {
		t.Errorf("release %q", v)
	}
	t.Setenv("PTXAS", program+"-none")
	if _, err := find(); err == nil {
		t.Error("a program that is not there is found")
	}
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func named(name string) architecture {
	for _, a := range architectures {
		if a.name == name {
			return a
		}
	}
	panic(name)
}

// The output of ptxas 12.4 for three kernels, and one of its files.
func TestUsages(t *testing.T) {
	want := map[string]usage{
		"spmv_slots3": {registers: 80, shared: 64},
		"spmv_coo":    {registers: 40, shared: 15360},
		"jacobi32":    {registers: 20},
	}
	if got := usages(testdata(t, "said.txt")); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	sizes, err := sizesOf(testdata(t, "jacobi32.cubin"))
	if err != nil || len(sizes) != 1 || sizes["jacobi32"] != 640 {
		t.Errorf("%v, %v", sizes, err)
	}
	if _, err := sizesOf(nil); err == nil {
		t.Error("an empty file has sizes")
	}
}

// Every kernel in the committed PTX requests enough blocks.
func TestWants(t *testing.T) {
	ptx, err := os.ReadFile(filepath.Join("..", ptxasSource))
	if err != nil {
		t.Fatal(err)
	}
	all := wants(ptx)
	if len(all) < 40 || all["spmv_slots1"] != 3 || all["spmv_csr"] != 4 {
		t.Errorf("%d kernels, %v", len(all), all)
	}
	for name, n := range all {
		if n < residents(name) {
			t.Errorf("%s asks for %d blocks", name, n)
		}
	}
}

// Each fault planted into the output of ptxas or into the PTX is found.
func TestJudge(t *testing.T) {
	judged := func(sm, said string, wanted map[string]int) error {
		kernels := usages([]byte(said))
		for name, u := range kernels {
			u.size = 640
			kernels[name] = u
		}
		return judge(named(sm), kernels, wanted)
	}
	said := string(testdata(t, "said.txt"))
	wanted := map[string]int{"spmv_slots3": 3, "spmv_coo": 4, "jacobi32": 4}
	if err := judged("sm_90", said, wanted); err != nil {
		t.Error(err)
	}
	for _, fault := range []struct{ from, to, want string }{
		{"0 bytes stack frame", "64 bytes stack frame", "spmv_slots3 has 64 bytes of stack"},
		{"0 bytes spill stores", "8 bytes spill stores", "8 of spilled registers"},
		{"0 bytes spill loads", "16 bytes spill loads", "16 of spilled registers"},
		{"64 bytes smem", "64 bytes smem, 8 bytes lmem", "8 of local memory"},
		{"Used 80 registers", "Used 81 registers", "has room for 2 blocks per multiprocessor, with 81 registers"},
		{"Used 20 registers", "Used 65 registers", "jacobi32 has room for 3 blocks"},
		{"15360 bytes smem", "60000 bytes smem", "spmv_coo has room for 3 blocks"},
		{"'jacobi32'", "'jacobi64'", "jacobi32 is not in what ptxas made"},
	} {
		bad := strings.Replace(said, fault.from, fault.to, 1)
		if err := judged("sm_90", bad, wanted); err == nil || !strings.Contains(err.Error(), "sm_90: ") || !strings.Contains(err.Error(), fault.want) {
			t.Errorf("%s: %v, want %s", fault.to, err, fault.want)
		}
	}
	if err := judged("sm_90", said, map[string]int{"jacobi32": 1}); err == nil || !strings.Contains(err.Error(), "asks for 1 blocks") {
		t.Error(err)
	}
	if err := judged("sm_90", said, nil); err == nil {
		t.Error("no kernels pass")
	}
	if err := judged("sm_75", strings.Replace(said, "15360", "15361", 1), wanted); err != nil {
		t.Error(err) // 4 x 15616 bytes are less than 64 kB
	}
}

// Numbers from NVIDIA's occupancy calculator.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		sm                      string
		registers, shared, want int
	}{
		{"sm_70", 32, 0, 8},
		{"sm_70", 64, 0, 4},
		{"sm_70", 65, 0, 3},
		{"sm_70", 80, 0, 3},
		{"sm_70", 81, 0, 2},
		{"sm_70", 255, 0, 1},
		{"sm_75", 32, 0, 4},
		{"sm_86", 32, 0, 6},
		{"sm_90", 40, 0, 6},
		{"sm_80", 32, 40 << 10, 4},
		{"sm_80", 32, 41 << 10, 3},
		{"sm_75", 32, 17 << 10, 3},
	} {
		if got := named(c.sm).blocks(usage{registers: c.registers, shared: c.shared}); got != c.want {
			t.Errorf("%+v: %d blocks", c, got)
		}
	}
}

func TestRatchet(t *testing.T) {
	made := func(size int) []assembled {
		return []assembled{
			{named("sm_70"), map[string]usage{"one": {registers: 40, size: 640}, "two": {registers: 20, size: 128}}},
			{named("sm_90"), map[string]usage{"one": {registers: 42, size: size}, "two": {registers: 20, size: 128}}},
		}
	}
	recorded := record("12.4", made(1280))
	for _, c := range []struct {
		version string
		size    int
		want    string
	}{
		{"12.4", 1280, ""},
		{"12.4", 1152, ""},
		{"12.4", 1408, "sm_90 one: 42 registers and 1408 bytes of code, recorded are 42 and 1280"},
		{"12.5", 1408, ""},
	} {
		err := ratchet(recorded, c.version, made(c.size))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	more := made(1280)
	more[0].kernels["three"] = usage{registers: 8, size: 128}
	delete(more[1].kernels, "two")
	err := ratchet(recorded, "12.4", more)
	for _, want := range []string{"sm_70 three is not in ", "sm_90 two is in ", "-update"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

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
