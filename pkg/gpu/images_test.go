package gpu

import (
	"bytes"
	"testing"
)

func TestImages(t *testing.T) {
	const sm70, sm80, sm90 = "\n.version 6.0\n.target sm_70\n", "\n.version 7.0\n.target sm_80\n", "\n.version 7.8\n.target sm_90\n"
	for _, c := range []struct {
		backend      Backend
		architecture string
		want         []string // in the images
	}{
		{CUDA, "sm_61", nil},
		{CUDA, "sm_70", []string{sm70}},
		{CUDA, "sm_75", []string{sm70}},
		{CUDA, "sm_80", []string{sm80, sm70}},
		{CUDA, "sm_89", []string{sm80, sm70}},
		{CUDA, "sm_90", []string{sm90, sm80, sm70}},
		{CUDA, "sm_120", []string{sm90, sm80, sm70}},
		{CUDA, "", nil},
		{HIP, "gfx90a:sramecc+:xnack-", []string{"amdhsa--gfx90a"}},
		{HIP, "gfx942", []string{"amdhsa--gfx942"}},
		{HIP, "gfx1100", []string{"amdhsa--gfx1100"}},
		{HIP, "gfx906:sramecc+", nil},
		{HIP, "", []string{"amdhsa--gfx90a", "amdhsa--gfx942", "amdhsa--gfx1100"}},
		{OpenCL, "anything", []string{"__kernel"}},
		{Emulate, "C", []string{""}},
	} {
		got := images(c.backend, c.architecture)
		if len(got) != len(c.want) {
			t.Errorf("%s, %q: %d images, want %d", c.backend, c.architecture, len(got), len(c.want))
			continue
		}
		for k, want := range c.want {
			if !bytes.Contains(got[k], []byte(want)) {
				t.Errorf("%s, %q: image %d is not for %s", c.backend, c.architecture, k, want)
			}
		}
		if c.backend == CUDA && len(got) > 0 && got[0][len(got[0])-1] != 0 {
			t.Errorf("%q: PTX does not end in NUL", c.architecture)
		}
	}
}

// Every image has every kernel.
func TestImagesAreCurrent(t *testing.T) {
	ptx := images(CUDA, "sm_70")[0]
	for _, kernel := range kernels {
		if !bytes.Contains(ptx, []byte(".visible .entry "+kernel.name+"(")) {
			t.Errorf("PTX: no kernel %s; run make gpu-generate", kernel.name)
		}
	}
	for k, code := range images(HIP, "") {
		for _, kernel := range kernels {
			if !bytes.Contains(code, []byte("\x00"+kernel.name+".kd\x00")) {
				t.Errorf("%s: no kernel %s; run make gpu-generate", amdArchitectures[k], kernel.name)
			}
		}
	}
}

// Every file is in the text: no directive is left.
func TestOpenCLText(t *testing.T) {
	if bytes.Contains(openCL(), []byte("#include \"")) {
		t.Error("a directive is left")
	}
}

func TestFewDoubles(t *testing.T) {
	for _, c := range []struct {
		b            Backend
		architecture string
		few          bool
	}{
		{CUDA, "sm_70", false}, {CUDA, "sm_75", true}, {CUDA, "sm_80", false}, {CUDA, "sm_86", true}, {CUDA, "sm_89", true},
		{CUDA, "sm_90", false}, {CUDA, "sm_120", true}, {HIP, "gfx90a:sramecc+:xnack-", false}, {HIP, "gfx1100", true}, {HIP, "", false},
		{OpenCL, "OpenCL", false}, {Emulate, "C", false},
	} {
		if i := (Info{Backend: c.b, Architecture: c.architecture}); i.fewDoubles() != c.few {
			t.Errorf("%s %s: few doubles: %t", c.b, c.architecture, !c.few)
		}
	}
}
