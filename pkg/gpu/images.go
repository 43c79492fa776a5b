package gpu

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
)

// files are the kernels, in the dialect that source/dialect.h explains, and in ptx and code
// what tools/gpucode compiles them to.
//
//go:embed source
var files embed.FS

var include = regexp.MustCompile(`(?m)^#include "(.*)"\n`)

// openCL returns the kernels as one text of OpenCL C.
func openCL() string { return flatten("source/kernels.c", map[string]bool{}) }

// flatten puts what a file includes in the place of the directive, each file once.
func flatten(name string, seen map[string]bool) string {
	if seen[name] {
		return ""
	}
	seen[name] = true
	text, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("gpu: %v", err)) // cannot be: the compiler of the host found it
	}
	return include.ReplaceAllStringFunc(string(text), func(line string) string {
		return flatten("source/"+include.FindStringSubmatch(line)[1], seen)
	})
}

// Architectures that the kernels are compiled for, the newest first, and AMD's.
var (
	computeCapabilities = []int{90, 80, 70}
	amdArchitectures    = []string{"gfx90a", "gfx942", "gfx1100"}
)

// images returns the images of the kernels to try on a device, the best one first:
// PTX for an architecture sm_XY, and after it that for older ones, which older drivers
// take; code objects for AMD's, such as gfx90a:sramecc+:xnack-, all of them where its name
// is not known; OpenCL C; and for the emulated device, which has the kernels, an empty one.
func images(backend Backend, architecture string) (all [][]byte) {
	switch backend {
	case CUDA:
		var has int
		if _, err := fmt.Sscanf(architecture, "sm_%d", &has); err != nil {
			return nil
		}
		for _, sm := range computeCapabilities {
			if sm <= has {
				ptx := compiled(fmt.Sprintf("ptx/sm_%d.ptx", sm))
				all = append(all, append(ptx, 0))
			}
		}
	case HIP:
		name, _, _ := strings.Cut(architecture, ":")
		for _, gfx := range amdArchitectures {
			if name == "" || name == gfx {
				all = append(all, compiled("code/"+gfx+".hsaco"))
			}
		}
	case OpenCL:
		return [][]byte{[]byte(openCL())}
	case Emulate:
		return [][]byte{{0}}
	}
	return all
}

// compiled returns a committed file of code.
func compiled(name string) []byte {
	code, err := files.ReadFile("source/" + name)
	if err != nil {
		panic(fmt.Sprintf("gpu: %v", err)) // cannot be: TestImages reads them all
	}
	return code
}
