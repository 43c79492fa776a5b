package machine

import (
	"testing"
	"testing/fstest"
)

func TestCachesAndProcessor(t *testing.T) {
	root := fstest.MapFS{}
	add := func(path, text string) { root[path] = &fstest.MapFile{Data: []byte(text)} }
	for index, c := range [][3]string{
		{"1", "Data", "48K"},
		{"1", "Instruction", "32K"},
		{"2", "Unified", "2048K"},
		{"3", "Unified", "260M"},
	} {
		dir := "sys/devices/system/cpu/cpu0/cache/index" + string(rune('0'+index))
		add(dir+"/level", c[0]+"\n")
		add(dir+"/type", c[1]+"\n")
		add(dir+"/size", c[2]+"\n")
	}
	add("proc/cpuinfo", "processor\t: 0\nmodel name\t: A Processor @ 2 GHz\nprocessor\t: 1\nmodel name\t: Another\n")
	want := CacheSizes{L1d: 48 << 10, L2: 2 << 20, L3: 260 << 20}
	if c := caches(root); c != want || c.LastLevel() != want.L3 {
		t.Errorf("caches %+v, last level %d, want %+v", c, c.LastLevel(), want)
	}
	if p := processor(root); p != "A Processor @ 2 GHz" {
		t.Errorf("processor %q", p)
	}
}

func TestNothingIsKnown(t *testing.T) {
	if c := caches(fstest.MapFS{}); c != (CacheSizes{}) || c.LastLevel() != 0 {
		t.Errorf("caches %+v", c)
	}
	if p := processor(fstest.MapFS{"proc/cpuinfo": {Data: []byte("processor : 0\n")}}); p != "" {
		t.Errorf("processor %q", p)
	}
	for _, text := range []string{"", "K", "-1K", "x", "48 K"} {
		if n := parseSize(text); n != 0 {
			t.Errorf("%q is %d bytes", text, n)
		}
	}
}
