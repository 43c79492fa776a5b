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
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	ptxasSource = "pkg/gpu/source/code/kernels.ptx"
	golden      = "tools/testdata/sass.txt"
)

// ptxasMain assembles the PTX of pkg/gpu's kernels with NVIDIA's ptxas for every architecture that ptxas knows. It
// refuses code with a stack, local memory or spilled registers, and kernels of which too few blocks fit on a
// multiprocessor. It compares the size of the code with the recorded size, so that growth is noticed. See `make
// gpu-ptxas`.
func ptxasMain() {
	update := flag.Bool("update", false, "record registers and sizes in "+golden)
	must := flag.Bool("must", false, "it is an error if ptxas cannot be had")
	flag.Parse()
	if err := ptxasRun(*update, *must); err != nil {
		fmt.Fprintln(os.Stderr, "gpuptxas:", err)
		os.Exit(1)
	}
}

func ptxasRun(update, must bool) error {
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
	code, err := os.ReadFile(ptxasSource)
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

// assembled is the result of ptxas for an architecture.
type assembled struct {
	sm      architecture
	kernels map[string]usage
}

// assembleAll assembles for every architecture that ptxas knows, and judges all results.
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

// errUnknown is the error for an architecture that ptxas does not know.
var errUnknown = errors.New("not known to this ptxas")

// assemble runs ptxas, which writes a file.
func assemble(ptxas, file string, sm architecture) (map[string]usage, error) {
	said, err := exec.Command(ptxas, "-v", "-arch", sm.name, "-o", file, ptxasSource).CombinedOutput()
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

// summary returns a line about an architecture: the numbers of kernels by the blocks that must fit.
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

// fetch is the command that fetches ptxas from Debian; it prints a folder.
var fetch = []string{".ci/debian", "trixie", "non-free", "*/bin/ptxas", "nvidia-cuda-toolkit"}

// find returns the path of ptxas: $PTXAS, in $PATH, where CUDA installs it, or in Debian's package, which is fetched
// into the user's cache once.
func find() (string, error) {
	if given := os.Getenv("PTXAS"); given != "" {
		path, err := exec.LookPath(given)
		if err != nil {
			return "", fmt.Errorf("PTXAS: %w", err)
		}
		return path, nil
	}
	if path, err := exec.LookPath("ptxas"); err == nil {
		return path, nil
	}
	if paths, _ := filepath.Glob("/usr/local/cuda*/bin/ptxas"); len(paths) > 0 {
		return paths[len(paths)-1], nil
	}
	out, err := exec.Command(fetch[0], fetch[1:]...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("no ptxas here, and %s", strings.TrimSpace(string(failed.Stderr)))
	} else if err != nil {
		return "", fmt.Errorf("no ptxas here: %w", err)
	}
	return exec.LookPath(filepath.Join(strings.TrimSpace(string(out)), "usr", "bin", "ptxas"))
}

var release = regexp.MustCompile(`release (\d+\.\d+),`)

// versionOf returns ptxas's release, such as 12.4.
func versionOf(ptxas string) (string, error) {
	out, err := exec.Command(ptxas, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", ptxas, err)
	}
	m := release.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("%s does not say its release: %s", ptxas, out)
	}
	return string(m[1]), nil
}

// architecture holds the limits on the blocks of a multiprocessor: see the table of technical specifications in
// NVIDIA's CUDA C++ Programming Guide.
type architecture struct {
	name     string
	threads  int // of all blocks
	shared   int // kB of shared memory, for all blocks
	reserved int // kB of shared memory that each block takes in addition
}

var architectures = []architecture{
	{"sm_70", 2048, 96, 0},
	{"sm_75", 1024, 64, 0},
	{"sm_80", 2048, 164, 1},
	{"sm_86", 1536, 100, 1},
	{"sm_89", 1536, 100, 1},
	{"sm_90", 2048, 228, 1},
	{"sm_100", 2048, 228, 1},
	{"sm_120", 1536, 100, 1},
}

// Limits that all architectures share.
const (
	blockThreads = 256 // of our kernels
	warpThreads  = 32
	partitions   = 4     // of a multiprocessor; each has a quarter of the warps and registers
	registerFile = 16384 // of a partition
	registerUnit = 256   // granularity of registers for a warp
	sharedUnit   = 256   // granularity of shared memory for a block, bytes
	mostBlocks   = 16
)

// blocks returns the number of blocks of a kernel that fit on a multiprocessor.
func (a architecture) blocks(u usage) int {
	up := func(n, unit int) int { return (n + unit - 1) / unit * unit }
	warps := registerFile / up(max(u.registers, 1)*warpThreads, registerUnit) * partitions
	n := min(mostBlocks, a.threads/blockThreads, warps/(blockThreads/warpThreads))
	if bytes := up(u.shared, sharedUnit) + a.reserved<<10; bytes > 0 {
		n = min(n, a.shared<<10/bytes)
	}
	return n
}
