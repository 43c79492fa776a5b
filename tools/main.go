// Command tools makes and checks parts of this repository. It imports nothing of the solver, so that it builds in any
// state of the generated code.
//
//	go run ./tools gpucode      compiles the kernels for GPUs
//	go run ./tools gpugen       writes the code that launches these kernels from Go
//	go run ./tools gpuptxas     assembles their PTX for every architecture of NVIDIA's
//	go run ./tools mutants      makes errors in the source and counts those that the tests notice
//	go run ./tools platforms    checks the types of all packages for other platforms
//	go run ./tools simdgen      compiles the kernels in C and writes them as Go assembly
//	go run ./tools site         makes HTML of the pages of docs
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// commands maps the first argument to the command, which takes the flags after its name.
var commands = map[string]func(){
	"gpucode":   gpucodeMain,
	"gpugen":    gpugenMain,
	"gpuptxas":  ptxasMain,
	"mutants":   mutantsMain,
	"platforms": platformsMain,
	"simdgen":   simdgenMain,
	"site":      siteMain,
}

func main() {
	if len(os.Args) > 1 && commands[os.Args[1]] != nil {
		program := commands[os.Args[1]]
		os.Args = append(os.Args[:1], os.Args[2:]...)
		program()
		return
	}
	fmt.Fprintln(os.Stderr, "want one of", strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
	os.Exit(2)
}
