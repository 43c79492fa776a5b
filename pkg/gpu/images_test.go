package gpu

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestImages(t *testing.T) {
	for _, c := range []struct {
		backend      Backend
		architecture string
		want         []string // in the images
	}{
		{CUDA, "sm_61", nil},
		{CUDA, "sm_70", []string{".target sm_70\n"}},
		{CUDA, "sm_75", []string{".target sm_70\n"}},
		{CUDA, "sm_80", []string{".target sm_80\n", ".target sm_70\n"}},
		{CUDA, "sm_89", []string{".target sm_80\n", ".target sm_70\n"}},
		{CUDA, "sm_90", []string{".target sm_90\n", ".target sm_80\n", ".target sm_70\n"}},
		{CUDA, "sm_120", []string{".target sm_90\n", ".target sm_80\n", ".target sm_70\n"}},
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
	for _, sm := range computeCapabilities {
		text := string(images(CUDA, fmt.Sprintf("sm_%d", sm))[0])
		for _, kernel := range kernels {
			if !regexp.MustCompile(`\.visible \.entry ` + kernel.name + `\(`).MatchString(text) {
				t.Errorf("sm_%d: no kernel %s; run make gpu-generate", sm, kernel.name)
			}
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

// A file that two others include is in the text once, and no directive is left.
func TestOpenCLText(t *testing.T) {
	text := openCL()
	if strings.Contains(text, "#include \"") {
		t.Error("a directive is left")
	}
	if n := strings.Count(text, "#define KERNEL(name, ...) ENTRY"); n != 1 {
		t.Errorf("dialect.h is in the text %d times", n)
	}
}
