package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// usage is the resource usage of a kernel: registers per thread, everything else in bytes.
type usage struct {
	registers, shared    int
	stack, spills, local int
	size                 int // of its code
}

var (
	compiling = regexp.MustCompile(`Compiling entry function '(\w+)'`)
	number    = regexp.MustCompile(`(\d+) bytes (stack frame|spill stores|spill loads|smem|lmem)`)
	registers = regexp.MustCompile(`Used (\d+) registers`)
)

// usages reads the output of ptxas -v.
func usages(said []byte) map[string]usage {
	all := map[string]usage{}
	name := ""
	for line := range strings.Lines(string(said)) {
		if m := compiling.FindStringSubmatch(line); m != nil {
			name = m[1]
			all[name] = usage{}
		}
		u := all[name]
		if m := registers.FindStringSubmatch(line); m != nil {
			u.registers, _ = strconv.Atoi(m[1])
		}
		for _, m := range number.FindAllStringSubmatch(line, -1) {
			n, _ := strconv.Atoi(m[1])
			switch m[2] {
			case "stack frame":
				u.stack += n
			case "smem":
				u.shared += n
			case "lmem":
				u.local += n
			default:
				u.spills += n
			}
		}
		if name != "" {
			all[name] = u
		}
	}
	return all
}

// sizesOf returns the size of each kernel's code in the file of ptxas, which is ELF except for its version number.
func sizesOf(code []byte) (map[string]int, error) {
	const version = 20
	if len(code) < version+4 {
		return nil, errors.New("ptxas wrote an empty file")
	}
	binary.LittleEndian.PutUint32(code[version:], uint32(elf.EV_CURRENT))
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	sizes := map[string]int{}
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".text."); ok {
			sizes[name] = int(s.Size)
		}
	}
	return sizes, nil
}

// fewer lists the kernels that may take more registers than others, by prefixes of their names, with the number of
// blocks that must fit on a multiprocessor. Slots decode several integers at a time, and products with many vectors
// have a sum for each row of a block and vector.
var fewer = []struct {
	prefix string
	blocks int
}{{slotsPrefix, 3}, {"spmm2_slots3", 3}, {"spmm4_slots", 3}, {"spmm8_slots1", 3}, {"spmm8_slots3", 2}}

const slotsPrefix = "spmv_slots"

// residents returns the number of blocks of a kernel that must fit on a multiprocessor, so that some blocks load
// while others compute.
func residents(kernel string) int {
	for _, f := range fewer {
		if strings.HasPrefix(kernel, f.prefix) {
			return f.blocks
		}
	}
	return 4
}

var (
	ptxasEntry = regexp.MustCompile(`(?s)\.entry (\w+)\((.*?)\{`)
	minimum    = regexp.MustCompile(`\.minnctapersm (\d+)`)
)

// wants returns the blocks per multiprocessor that the PTX requests for each kernel.
func wants(ptx []byte) map[string]int {
	all := map[string]int{}
	for _, m := range ptxasEntry.FindAllSubmatch(ptx, -1) {
		all[string(m[1])] = 0
		if n := minimum.FindSubmatch(m[2]); n != nil {
			all[string(m[1])], _ = strconv.Atoi(string(n[1]))
		}
	}
	return all
}

// judge returns an error for each fault in the results of ptxas. The keys of wanted are the names of the kernels, its
// values the blocks per multiprocessor that they request.
func judge(sm architecture, kernels map[string]usage, wanted map[string]int) error {
	var faults []error
	fault := func(name, format string, a ...any) {
		faults = append(faults, fmt.Errorf("%s: %s "+format, append([]any{sm.name, name}, a...)...))
	}
	if len(wanted) == 0 {
		return errors.New("the PTX has no kernels")
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		u, ok := kernels[name]
		if !ok || u.registers == 0 || u.size == 0 {
			fault(name, "is not in what ptxas made")
			continue
		}
		if u.stack+u.spills+u.local > 0 {
			fault(name, "has %d bytes of stack, %d of spilled registers, %d of local memory", u.stack, u.spills, u.local)
		}
		if least := residents(name); wanted[name] < least {
			fault(name, "asks for %d blocks per multiprocessor, want %d", wanted[name], least)
		}
		if n := sm.blocks(u); n < wanted[name] {
			fault(name, "has room for %d blocks per multiprocessor, with %d registers and %d bytes of shared memory; want %d",
				n, u.registers, u.shared, wanted[name])
		}
	}
	return errors.Join(faults...)
}

// The recorded table has the version of ptxas and the architectures in its first line, and then, for each kernel, its
// registers and the bytes of its code on each architecture: 40/5120.

// record returns the table for the results of ptxas.
func record(version string, all []assembled) []byte {
	var b bytes.Buffer
	row := func(name string, cells func(assembled) string) {
		line := fmt.Sprintf("%-30s", name)
		for _, a := range all {
			line += fmt.Sprintf(" %10s", cells(a))
		}
		fmt.Fprintln(&b, line)
	}
	row("ptxas-"+version, func(a assembled) string { return a.sm.name })
	for _, name := range slices.Sorted(maps.Keys(all[0].kernels)) {
		row(name, func(a assembled) string { return cell(a.kernels[name]) })
	}
	return b.Bytes()
}

func cell(u usage) string { return fmt.Sprintf("%d/%d", u.registers, u.size) }

// ratchet compares with the recorded table: more code than recorded is an error, and so is a kernel without a row. It
// prints reductions, which should be recorded. The code of other versions of ptxas differs and is not compared.
func ratchet(recorded []byte, version string, all []assembled) error {
	lines := strings.Split(strings.TrimSpace(string(recorded)), "\n")
	head := strings.Fields(lines[0])
	if head[0] != "ptxas-"+version {
		fmt.Printf("sizes are not compared: those recorded are of %s\n", head[0])
		return nil
	}
	was := map[string]usage{} // by architecture and kernel
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		for k := 1; k < min(len(cells), len(head)); k++ {
			var u usage
			if _, err := fmt.Sscanf(cells[k], "%d/%d", &u.registers, &u.size); err != nil {
				return fmt.Errorf("%s: %q: %w", golden, cells[k], err)
			}
			was[head[k]+" "+cells[0]] = u
		}
	}
	var faults []error
	saved := 0
	for _, a := range all {
		for _, name := range slices.Sorted(maps.Keys(a.kernels)) {
			key, now := a.sm.name+" "+name, a.kernels[name]
			before, ok := was[key]
			switch delete(was, key); {
			case !ok:
				faults = append(faults, fmt.Errorf("%s is not in %s", key, golden))
			case now.size > before.size:
				faults = append(faults, fmt.Errorf("%s: %d registers and %d bytes of code, recorded are %d and %d",
					key, now.registers, now.size, before.registers, before.size))
			default:
				saved += before.size - now.size
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(was)) {
		faults = append(faults, fmt.Errorf("%s is in %s, but not in the code", key, golden))
	}
	if len(faults) > 0 {
		return errors.Join(append(faults, errors.New("if that is how it is to be: make gpu-ptxas GPU_FLAGS=-update"))...)
	}
	if saved > 0 {
		fmt.Printf("%d bytes of code less than recorded: make gpu-ptxas GPU_FLAGS=-update\n", saved)
	}
	return nil
}
