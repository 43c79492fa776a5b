// Command gpuptxas assembles the PTX of pkg/gpu's kernels by NVIDIA's ptxas for every
// architecture that it knows. It refuses code with a stack, local memory or spilled registers,
// and kernels of which too few blocks fit on a multiprocessor, and compares the size of the
// code with what was recorded, so that nothing grows unnoticed. See `make gpu-ptxas`.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
)

const (
	source = "pkg/gpu/source/code/kernels.ptx"
	golden = "tools/gpuptxas/testdata/sass.txt"
)

func main() {
	update := flag.Bool("update", false, "record registers and sizes in "+golden)
	must := flag.Bool("must", false, "it is an error if ptxas cannot be had")
	flag.Parse()
	if err := run(*update, *must); err != nil {
		fmt.Fprintln(os.Stderr, "gpuptxas:", err)
		os.Exit(1)
	}
}

func run(update, must bool) error {
	ptxas, err := find()
	if err != nil && !must {
		fmt.Printf("SKIPPED: %v\n", err)
		return nil
	} else if err != nil {
		return err
	}
	version, err := versionOf(ptxas)
	if err != nil {
		return err
	}
	code, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	fmt.Printf("ptxas %s, %s\n", version, ptxas)
	all, err := assembleAll(ptxas, code)
	if err != nil {
		return err
	}
	if update {
		return os.WriteFile(golden, record(version, all), 0o666)
	}
	recorded, err := os.ReadFile(golden)
	if err != nil {
		return err
	}
	return ratchet(recorded, version, all)
}

// assembled is what ptxas made for an architecture.
type assembled struct {
	sm      architecture
	kernels map[string]usage
}

// assembleAll assembles for every architecture that ptxas knows, and judges all of them.
func assembleAll(ptxas string, code []byte) ([]assembled, error) {
	dir, err := os.MkdirTemp("", "gpuptxas")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	wanted := wants(code)
	results, faults := make([]map[string]usage, len(architectures)), make([]error, len(architectures))
	var wg sync.WaitGroup
	for k, sm := range architectures {
		wg.Go(func() { results[k], faults[k] = assemble(ptxas, filepath.Join(dir, sm.name), sm) })
	}
	wg.Wait()
	var all []assembled
	for k, sm := range architectures {
		if errors.Is(faults[k], errUnknown) {
			fmt.Printf("%-7s %v\n", sm.name, errUnknown)
			faults[k] = nil
			continue
		}
		if faults[k] == nil {
			faults[k] = judge(sm, results[k], wanted)
		}
		if faults[k] == nil {
			fmt.Println(summary(sm, results[k]))
		}
		all = append(all, assembled{sm, results[k]})
	}
	if len(all) == 0 {
		return nil, errors.New("ptxas knows none of the architectures")
	}
	return all, errors.Join(faults...)
}

// errUnknown is the error of an architecture that ptxas does not know.
var errUnknown = errors.New("not known to this ptxas")

// assemble runs ptxas, which writes a file.
func assemble(ptxas, file string, sm architecture) (map[string]usage, error) {
	said, err := exec.Command(ptxas, "-v", "-arch", sm.name, "-o", file, source).CombinedOutput()
	switch {
	case err != nil && bytes.Contains(said, []byte("is not defined for option 'gpu-name'")):
		return nil, errUnknown
	case err != nil:
		return nil, fmt.Errorf("%s: ptxas: %w\n%s", sm.name, err, said)
	}
	kernels := usages(said)
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sizes, err := sizesOf(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sm.name, err)
	}
	for name, u := range kernels {
		u.size = sizes[name]
		kernels[name] = u
	}
	return kernels, nil
}

// summary is a line about an architecture: kernels by the blocks that they are to have room for.
func summary(sm architecture, kernels map[string]usage) string {
	size := 0
	count, most := map[int]int{}, map[int]int{}
	for name, u := range kernels {
		n := residents(name)
		size += u.size
		count[n]++
		most[n] = max(most[n], u.registers)
	}
	text := fmt.Sprintf("%-7s %d kernels, %.0f kB", sm.name, len(kernels), float64(size)/1e3)
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(count))) {
		text += fmt.Sprintf("; %d blocks of %d kernels, %d registers at most", n, count[n], most[n])
	}
	return text
}
