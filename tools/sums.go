package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compiled is code that a compiler generates, and that is committed, since few have the compiler and it takes minutes. A file of sums, as sha256sum
// writes and checks them, says which source, and which generator, the code was last made from. A test compares the sums, and so notices a
// source that was changed afterwards without the compiler.
type compiled struct {
	sums string   // file
	of   []string // patterns of the files of source, generator and code
}

var (
	compiledKernels = compiled{
		sums: "internal/kernels/simd/SHA256SUMS",
		of:   []string{sourceDir + "/*", packageDir + "/*_a*64.*", "tools/simdgen*.go"},
	}
	compiledForGPUs = compiled{
		sums: "pkg/gpu/SHA256SUMS",
		of:   []string{source + "/*.[ch]", source + "/code/*.ptx", source + "/code/*.hsaco", "tools/gpucode.go"},
	}
)

// now returns what the file of sums should contain, with paths from root.
func (c compiled) now(root string) ([]byte, error) {
	var paths []string
	for _, pattern := range c.of {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("no files %s", pattern)
		}
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
	slices.Sort(paths)
	var sums bytes.Buffer
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), filepath.ToSlash(name))
	}
	return sums.Bytes(), nil
}

// write writes the file of sums, or compares it.
func (c compiled) write(check bool) error {
	if check {
		return c.compare(".")
	}
	sums, err := c.now(".")
	if err != nil {
		return err
	}
	return os.WriteFile(c.sums, sums, 0o666)
}

// compare says what differs from the file of sums.
func (c compiled) compare(root string) error {
	sums, err := c.now(root)
	if err != nil {
		return err
	}
	was, err := os.ReadFile(filepath.Join(root, c.sums))
	if err != nil {
		return err
	}
	before := bytes.Split(was, []byte("\n"))
	for _, line := range bytes.Split(sums, []byte("\n")) {
		if !slices.ContainsFunc(before, func(other []byte) bool { return bytes.Equal(line, other) }) {
			_, name, _ := bytes.Cut(line, []byte("  "))
			return fmt.Errorf("%s changed after the code of %s was generated: run make kernels-generate gpu-generate", name, filepath.Dir(c.sums))
		}
	}
	if !bytes.Equal(was, sums) {
		return fmt.Errorf("%s names files that are not there: run make kernels-generate gpu-generate", c.sums)
	}
	return nil
}
