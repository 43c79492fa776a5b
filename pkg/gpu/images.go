package gpu

import (
	"embed"
	"fmt"
	"regexp"
)

// files are the kernels, in the dialect that source/dialect.h explains, and what they are
// compiled to.
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

// images returns the images of the kernels to try on a device, the best one first:
// PTX for an architecture sm_XY, code objects for AMD's, OpenCL C, and for the emulated
// device, which has the kernels, an empty one.
func images(backend Backend, architecture string) [][]byte {
	switch backend {
	case OpenCL:
		return [][]byte{[]byte(openCL())}
	case Emulate:
		return [][]byte{{0}}
	}
	return nil
}
