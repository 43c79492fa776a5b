package gpu

import (
	"embed"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/packed"
)

// files are the kernels, in the dialect that source/dialect.h explains, and in code what
// tools gpucode compiles them to.
//
//go:embed source
var files embed.FS

// file returns a file of source, which is part of the build.
func file(name string) []byte {
	b, err := files.ReadFile("source/" + name)
	if err != nil {
		panic(fmt.Sprintf("gpu: %v", err)) // cannot be: TestImages reads them all
	}
	return b
}

var include = regexp.MustCompile(`(?m)^#include "(.*)"\n`)

// openCL returns the kernels as one text of OpenCL C: what kernels.c includes.
func openCL() []byte {
	return include.ReplaceAllFunc(file("kernels.c"), func(line []byte) []byte {
		return file(string(include.FindSubmatch(line)[1]))
	})
}

// amdTargets are what there are code objects for, and the architectures that each fits. Those of
// families are for ROCm 6.3 and later. The command `tools gpucode` makes the list.
var amdTargets = []struct {
	name string
	fits *regexp.Regexp
}{
	{"gfx908", regexp.MustCompile(`^gfx908$`)},
	{"gfx90a", regexp.MustCompile(`^gfx90a$`)},
	{"gfx942", regexp.MustCompile(`^gfx942$`)},
	{"gfx1100", regexp.MustCompile(`^gfx1100$`)},
	{"gfx10-3-generic", regexp.MustCompile(`^gfx103[0-6]$`)},
	{"gfx11-generic", regexp.MustCompile(`^gfx11[05][0-3]$`)},
	{"gfx12-generic", regexp.MustCompile(`^gfx120[01]$`)},
}

// fewDoubles reports whether a GPU is known to have fewer than a quarter as many units for doubles as
// for floats: those that are not for data centers.
func (i Info) fewDoubles() bool {
	switch name, _, _ := strings.Cut(i.Architecture, ":"); i.Backend {
	case CUDA:
		return !slices.Contains([]string{"sm_70", "sm_80", "sm_90", "sm_100"}, name)
	case HIP:
		return name != "" && !strings.HasPrefix(name, "gfx9")
	}
	return false
}

// narrow is the width up to which integers in slots become doubles without operations of doubles: 0
// where these are fast. An operation takes as long as 64 instructions of NVIDIA's GPUs (32 of integers)
// and 16 of AMD's, which is more than the way over floats takes, up to 25 bits, and less
// than 20 instructions that shift wider integers into place.
func (i Info) narrow() uint32 {
	switch {
	case !i.fewDoubles():
		return 0
	case i.Backend == CUDA:
		return packed.MaxWidth
	}
	return floatBits
}

// floatBits is the width of integers that are floats.
const floatBits = 25

// image returns the kernels for a device, or nil if there are none: PTX, which is the same
// for NVIDIA's architectures from sm_70 on; a bundle of AMD's code objects, unless none
// of them fits an architecture that is known, such as gfx90a:sramecc+:xnack-; OpenCL C; and
// for the emulated device, which has the kernels, something empty.
func image(backend Backend, architecture string) []byte {
	switch backend {
	case CUDA:
		return append(file("code/kernels.ptx"), 0)
	case HIP:
		name, _, _ := strings.Cut(architecture, ":")
		entries := []entry{{name: "host-x86_64-unknown-linux--"}}
		some := name == ""
		for _, t := range amdTargets {
			entries = append(entries, entry{"hipv4-amdgcn-amd-amdhsa--" + t.name, file("code/" + t.name + ".hsaco")})
			some = some || t.fits.MatchString(name)
		}
		if !some {
			return nil
		}
		return bundle(entries)
	case OpenCL:
		return openCL()
	}
	return []byte{0}
}

// entry is a code object and the name of its target.
type entry struct {
	name string
	code []byte
}

// bundle joins code objects as clang does for HIP, which takes the one that fits the device.
// Behind a magic word there are, as numbers of 8 bytes, the number of entries and, for each,
// the offset of its code, the size, and the length of its name, and its name. The code
// begins at multiples of a page. See Clang Offload Bundler in clang's documentation.
func bundle(entries []entry) []byte {
	const page = 4096
	pages := func(bytes int) int { return (bytes + page - 1) / page * page }
	head := binary.LittleEndian.AppendUint64([]byte("__CLANG_OFFLOAD_BUNDLE__"), uint64(len(entries)))
	begin := len(head)
	for _, e := range entries {
		begin += 3*8 + len(e.name)
	}
	at := pages(begin)
	for _, e := range entries {
		for _, n := range []int{at, len(e.code), len(e.name)} {
			head = binary.LittleEndian.AppendUint64(head, uint64(n))
		}
		head = append(head, e.name...)
		at += pages(len(e.code))
	}
	whole := make([]byte, at)
	at = pages(copy(whole, head))
	for _, e := range entries {
		at += pages(copy(whole[at:], e.code))
	}
	return whole
}
