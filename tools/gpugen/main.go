// Command gpugen reads the declarations of the kernels, KERNEL(name, type argument, ...),
// and writes what launches them from Go, a struct of arguments for each (launch_gen.go),
// and what the emulated device calls them through (emulate_gen.h), so that an argument that
// does not fit is an error of the compiler. Run it by go generate in pkg/gpu.
package main

import (
	"go/format"
	"log"
	"os"
	"regexp"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gpugen: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	text, err := read("source")
	if err != nil {
		return err
	}
	kernels, groups, err := parse(text)
	if err != nil {
		return err
	}
	if err := os.WriteFile("emulate_gen.h", cText(kernels, groups), 0o666); err != nil {
		return err
	}
	src, err := format.Source(goText(kernels, groups))
	if err != nil {
		return err
	}
	return os.WriteFile("launch_gen.go", src, 0o666)
}

var include = regexp.MustCompile(`(?m)^#include "(.*)"\n`)

// read returns the files that kernels.c includes, one after the other.
func read(dir string) (string, error) {
	list, err := os.ReadFile(dir + "/kernels.c")
	if err != nil {
		return "", err
	}
	var text []byte
	for _, m := range include.FindAllSubmatch(list, -1) {
		file, err := os.ReadFile(dir + "/" + string(m[1]))
		if err != nil {
			return "", err
		}
		text = append(text, file...)
	}
	return string(text), nil
}
