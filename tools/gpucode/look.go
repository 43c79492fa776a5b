package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/mpsolve/mpsolve/internal/codeobject"
)

var (
	comment = regexp.MustCompile(`//.*`)
	entry   = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)
	slow    = regexp.MustCompile(`\.local\b|(?m:^\s*(@!?%p\d+\s+)?call\b)|\.func\b`)
)

// lookAtPTX refuses local memory and functions. Whether ptxas spills is known on a machine
// that has it alone, see bench/gpu.
func lookAtPTX(code []byte) (string, error) {
	name := "the file"
	for _, line := range bytes.Split(comment.ReplaceAll(code, nil), []byte("\n")) {
		if e := entry.FindSubmatch(line); e != nil {
			name = string(e[1])
		}
		if slow.Match(line) {
			return "", fmt.Errorf("%s has local memory or a call: %s", name, bytes.TrimSpace(line))
		}
	}
	n := len(entry.FindAll(code, -1))
	if n == 0 {
		return "", errors.New("no kernels")
	}
	return fmt.Sprintf("%d kernels", n), nil
}

// lookAtCodeObject refuses private memory and spilled registers, of which the notes of the
// code object tell.
func lookAtCodeObject(code []byte) (string, error) {
	note, err := codeobject.Metadata(code)
	if err != nil {
		return "", err
	}
	kernels, _ := note["amdhsa.kernels"].([]any)
	if len(kernels) == 0 {
		return "", errors.New("no kernels")
	}
	vector, scalar := 0, 0
	for _, k := range kernels {
		k, _ := k.(map[string]any)
		for _, key := range []string{".private_segment_fixed_size", ".sgpr_spill_count", ".vgpr_spill_count"} {
			if n, ok := k[key].(int); n != 0 || !ok {
				return "", fmt.Errorf("%v has %s %v", k[".name"], key[1:], k[key])
			}
		}
		if v, ok := k[".uses_dynamic_stack"]; ok && v != false {
			return "", fmt.Errorf("%v has a stack", k[".name"])
		}
		v, _ := k[".vgpr_count"].(int)
		s, _ := k[".sgpr_count"].(int)
		vector, scalar = max(vector, v), max(scalar, s)
	}
	return fmt.Sprintf("%d kernels, at most %d vector and %d scalar registers", len(kernels), vector, scalar), nil
}
