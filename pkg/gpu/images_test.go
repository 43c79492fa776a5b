package gpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/testsupport"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/generate"
)

func TestImages(t *testing.T) {
	const ptx = ".version 6.0\n.target sm_70\n"
	for _, c := range []struct {
		backend      Backend
		architecture string
		want         string // in the image; "" if there is none
	}{
		{CUDA, "sm_70", ptx},
		{CUDA, "sm_120", ptx},
		{HIP, "gfx90a:sramecc+:xnack-", "amdhsa--gfx90a"},
		{HIP, "gfx942", "amdhsa--gfx942"},
		{HIP, "gfx1100", "amdhsa--gfx1100"},
		{HIP, "gfx1032", "amdhsa--gfx10-3-generic"},
		{HIP, "gfx1151", "amdhsa--gfx11-generic"},
		{HIP, "gfx1201", "amdhsa--gfx12-generic"},
		{HIP, "gfx803", ""},
		{HIP, "gfx908a", ""},
		{HIP, "", "amdhsa--gfx90a"},
		{OpenCL, "anything", "__kernel"},
		{Emulate, "C", "\x00"},
	} {
		got := image(c.backend, c.architecture)
		switch {
		case c.want == "" && got != nil:
			t.Errorf("%s, %q: there is an image", c.backend, c.architecture)
		case !bytes.Contains(got, []byte(c.want)):
			t.Errorf("%s, %q: the image has no %q", c.backend, c.architecture, c.want)
		case c.backend == CUDA && got[len(got)-1] != 0:
			t.Errorf("%q: PTX does not end in NUL", c.architecture)
		}
	}
}

// Every image has every kernel.
func TestImagesAreCurrent(t *testing.T) {
	ptx := image(CUDA, "")
	for _, kernel := range kernels {
		if !bytes.Contains(ptx, []byte(".visible .entry "+kernel.name+"(")) {
			t.Errorf("PTX: no kernel %s; run make gpu-generate", kernel.name)
		}
	}
	for _, target := range amdTargets {
		code := file("code/" + target.name + ".hsaco")
		for _, kernel := range kernels {
			if !bytes.Contains(code, []byte("\x00"+kernel.name+".kd\x00")) {
				t.Errorf("%s: no kernel %s; run make gpu-generate", target.name, kernel.name)
			}
		}
	}
}

// The bundle has what went in, where its head says, and LLVM's own program finds it too.
func TestBundle(t *testing.T) {
	whole := image(HIP, "")
	word := func(at int) int { return int(binary.LittleEndian.Uint64(whole[at:])) }
	at := len("__CLANG_OFFLOAD_BUNDLE__")
	if n := word(at); n != 1+len(amdTargets) {
		t.Fatalf("%d entries", n)
	}
	at += 8
	for k := range 1 + len(amdTargets) {
		name, code := "host-x86_64-unknown-linux--", []byte{}
		if k > 0 {
			gfx := amdTargets[k-1].name
			name, code = "hipv4-amdgcn-amd-amdhsa--"+gfx, file("code/"+gfx+".hsaco")
		}
		from, size, letters := word(at), word(at+8), word(at+16)
		at += 24
		if got := string(whole[at : at+letters]); got != name || from%4096 != 0 || !bytes.Equal(whole[from:from+size], code) {
			t.Errorf("entry %d is %q, %d bytes from %d on", k, got, size, from)
		}
		at += letters
	}
	bundler, err := exec.LookPath("clang-offload-bundler-19")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bundle"), whole, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := testsupport.Command(t, bundler, "-type=o", "-unbundle", "-input=bundle", "-output=code", "-targets=hipv4-amdgcn-amd-amdhsa--gfx942")
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if code, err := os.ReadFile(filepath.Join(dir, "code")); err != nil || !bytes.Equal(code, file("code/gfx942.hsaco")) {
		t.Errorf("%v, or another code object", err)
	}
}

// Every file is in the text: no directive is left.
func TestOpenCLText(t *testing.T) {
	if bytes.Contains(openCL(), []byte("#include \"")) {
		t.Error("a directive is left")
	}
}

func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		b            Backend
		architecture string
		width        uint32
	}{
		{CUDA, "sm_70", 0},
		{CUDA, "sm_75", packed.MaxWidth},
		{CUDA, "sm_80", 0},
		{CUDA, "sm_86", packed.MaxWidth},
		{CUDA, "sm_89", packed.MaxWidth},
		{CUDA, "sm_90", 0},
		{CUDA, "sm_120", packed.MaxWidth},
		{HIP, "gfx90a:sramecc+:xnack-", 0},
		{HIP, "gfx1100", floatBits},
		{HIP, "", 0},
		{OpenCL, "OpenCL", 0},
		{Emulate, "C", 0},
	} {
		if i := (Info{Backend: c.b, Architecture: c.architecture}); i.narrow() != c.width {
			t.Errorf("%s %s: %d, want %d", c.b, c.architecture, i.narrow(), c.width)
		}
	}
}

// TestTargets wants vectors and a product to have the same bits on every target, in order and at random.
func TestTargets(t *testing.T) {
	right := vectorsAndProduct(plantedPTX(t, 0, nil))
	for _, target := range amdTargets {
		t.Run(target.name, func(t *testing.T) {
			for seed := range uint64(2) {
				got := vectorsAndProduct(plantedAMD(t, target.name, seed, nil))
				if got.err != nil || !slices.Equal(got.bits, right.bits) {
					t.Errorf("seed %d: other bits, %v", seed, got.err)
				}
			}
		})
	}
}

// TestKernelsOfAMD has what other tests leave out on AMD's code once they have spent their share: products
// with segments of long rows, with blocks of every size, and with several vectors.
func TestKernelsOfAMD(t *testing.T) {
	if testing.Short() {
		t.Skip("interprets kernels")
	}
	d := amd(t, "gfx90a", 1)
	limitBlocks(t, 100)
	long := sparse(3, 9000, func(i int) int { return []int{9000, 0, 4097}[i] })
	checkCSR(t, d, "long", long, newExact(long, normal(long.Cols, 1)))
	spec := afx(t, adaptive.NW, 0x1p-24)
	for b := 2; b <= 6; b++ {
		m := blockMatrix(t, b, 37, 37)
		exact := newExact(m, normal(m.Cols, 3))
		for _, c := range adaptive.Criteria {
			for _, eps := range []float64{0x1p-10, 0x1p-37} {
				s := afx(t, c, eps)
				checkSlots(t, slotted(t, d, m, s, 1), exact, s)
			}
		}
	}
	for layout, name := range map[adaptive.Layout]string{adaptive.CSR: "7-point", adaptive.ELL: "7-point", adaptive.Slots: "powerlaw", adaptive.Blocks: "blocks"} {
		m, s := manyMatrices(t)[name], spec
		s.Layout = layout
		a, err := NewMatrix(d, m, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{2, 3, 8} {
			testMany(t, fmt.Sprintf("%s, %d vectors", name, k), a, m, k)
		}
		a.Close()
	}
}

// On devices with few units for doubles an element takes one operation of theirs, whatever its width.
func TestFewOperationsOfDoubles(t *testing.T) {
	d := ptx(t, 0)
	p := d.drv.(*interpreter)
	counts := p.find("spmv_slots3").counts
	m := generated(t, "elasticity3d", generate.Params{"n": 5})
	s := newSpace(d, m.Rows)
	defer s.Close()
	x, y := onDevice(s, normal(m.Rows, 1))[0], s.New()
	for _, eps := range []float64{0x1p-24, 0x1p-37} {
		a := slotted(t, d, m, afx(t, adaptive.NW, eps), 1)
		operations := func(narrow uint32) float64 {
			counts.Reset()
			a.(*deviceMatrix).stored.(*slotStorage).narrow = narrow
			a.Apply(y, x)
			return 32 * float64(counts.Total().ByClass["fp64"]) / float64(m.NNZ())
		}
		many, few := operations(0), operations(packed.MaxWidth)
		if !(few > 1 && few < 0.58*many) {
			t.Errorf("%g: %.2f operations for a nonzero, %.2f where they are few", eps, many, few)
		}
	}
}
