package gpu

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// files are the kernels, in the dialect that source/dialect.h explains, and in code what
// tools/gpucode compiles them to.
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

// ptxTargets are the architectures of NVIDIA that the kernels are compiled for, the newest
// first, and the versions of PTX that a driver has to know for each.
var ptxTargets = []ptxTarget{{90, "7.8"}, {80, "7.0"}, {70, "6.0"}}

type ptxTarget struct {
	sm      int
	version string
}

// head is the two lines in which the code for an architecture differs; clang's code for all
// is the same otherwise, as tools/gpucode checks.
func (t ptxTarget) head() []byte {
	return fmt.Appendf(nil, ".version %s\n.target sm_%d\n", t.version, t.sm)
}

// ptx returns the kernels for an architecture; the file is for the oldest.
func (t ptxTarget) ptx() []byte {
	oldest := ptxTargets[len(ptxTargets)-1]
	return append(bytes.Replace(file("code/kernels.ptx"), oldest.head(), t.head(), 1), 0)
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

// amdArchitectures are those that there are code objects for.
var amdArchitectures = []string{"gfx90a", "gfx942", "gfx1100"}

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
		for _, t := range ptxTargets {
			if t.sm <= has {
				all = append(all, t.ptx())
			}
		}
	case HIP:
		name, _, _ := strings.Cut(architecture, ":")
		for _, gfx := range amdArchitectures {
			if name == "" || name == gfx {
				all = append(all, file("code/"+gfx+".hsaco"))
			}
		}
	case OpenCL:
		return [][]byte{openCL()}
	case Emulate:
		return [][]byte{{0}}
	}
	return all
}
