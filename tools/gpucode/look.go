package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
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
	note, err := metadata(code)
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

// metadata is what the note AMDGPU of a code object says.
func metadata(code []byte) (map[string]any, error) {
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	s := f.Section(".note")
	if s == nil {
		return nil, errors.New("no notes")
	}
	b, err := s.Data()
	if err != nil {
		return nil, err
	}
	const header, kind = 12, 32 // NT_AMDGPU_METADATA
	if len(b) < header || binary.LittleEndian.Uint32(b[8:]) != kind {
		return nil, errors.New("no note of its kernels")
	}
	name := int(binary.LittleEndian.Uint32(b)+3) / 4 * 4
	size := int(binary.LittleEndian.Uint32(b[4:]))
	if len(b) < header+name+size {
		return nil, errors.New("its note is cut off")
	}
	v, err := unpack(b[header+name:][:size])
	if err != nil {
		return nil, err
	}
	note, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("its note is no map")
	}
	return note, nil
}
