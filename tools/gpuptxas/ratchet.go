package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The recorded table has the version of ptxas and the architectures in its first line, and then
// for each kernel its registers and the bytes of its code, on each architecture: 40/5120.

// record returns the table of what ptxas made.
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

// ratchet compares with the recorded table: more code than recorded is an error, and so is a
// kernel that has no row. What is less is printed, to be recorded. Other versions of ptxas
// make other code, which is not compared.
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
