package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/mpsolve/mpsolve/gputest"
)

const (
	source   = "pkg/gpu/source"
	compiler = "clang-19"
	linker   = "ld.lld-19"
)

// gpucodeMain compiles the kernels of pkg/gpu for GPUs: PTX for NVIDIA's, code objects for AMD's. The results are
// committed beside their source, so that mpsolve builds without clang. It refuses code that spills registers, calls
// functions or keeps arrays in slow memory. With -check it compares its results with the committed files. The
// compiler is clang 19: other versions generate other code from the same source. See `make gpu-generate`.
func gpucodeMain() {
	check := flag.Bool("check", false, "compare with the committed files instead of writing them")
	must := flag.Bool("must", false, "it is an error if "+compiler+" is not there")
	flag.Parse()
	if err := gpucodeRun(*check, *must); err != nil {
		fmt.Fprintln(os.Stderr, "gpucode:", err)
		os.Exit(1)
	}
}

func gpucodeRun(check, must bool) error {
	for _, program := range []string{compiler, linker} {
		if _, err := exec.LookPath(program); err != nil {
			if must {
				return fmt.Errorf("no %s here (Debian's packages are clang-19 and lld-19)", program)
			}
			fmt.Printf("SKIPPED: no %s here (Debian's packages are clang-19 and lld-19)\n", program)
			return nil
		}
	}
	dir, err := os.MkdirTemp("", "gpucode")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// Compile in another folder, so that a path in the code would be noticed.
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		return err
	}
	codes, faults := make([][]byte, len(gpucodeTargets)), make([]error, len(gpucodeTargets))
	var wg sync.WaitGroup
	for k, t := range gpucodeTargets {
		wg.Go(func() { codes[k], faults[k] = t.compile(dir) })
	}
	wg.Wait()
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for k, t := range gpucodeTargets {
		path := filepath.Join(source, t.file)
		if !check {
			faults[k] = os.WriteFile(path, codes[k], 0o666)
		} else if was, err := os.ReadFile(path); err != nil || !bytes.Equal(was, codes[k]) {
			faults[k] = fmt.Errorf("%s: not what %s makes of the source; run make gpu-generate", t.file, compiler)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return compiledForGPUs.write(check)
}

// gpucodeTarget is an architecture to compile for.
type gpucodeTarget struct {
	name, file string
	flags      string
	look       func(code []byte) (summary string, err error)
}

const (
	// No vendors' headers, paths, identifiers or versions may affect the code.
	gpucodeAlways = "-O3 -ffp-contract=off -fno-ident -fno-verbose-asm -Wall -Wextra -Werror -Wno-unused-parameter " +
		"-Wno-unused-variable -Wno-unused-but-set-variable --cuda-device-only"
	// LLVM's strength reduction spends more additions on addresses than it saves.
	nvidia  = "-mllvm -disable-lsr -x cuda -nocudainc -nocudalib -S --cuda-gpu-arch=sm_70 -Xclang -target-feature -Xclang +ptx60"
	amd     = "-x hip -nogpuinc -nogpulib --no-gpu-bundle-output -fuse-cuid=none -Xoffload-linker -s"
	one     = amd + " -mcode-object-version=4 --offload-arch="            // known to ROCm 5
	generic = amd + " -mcode-object-version=6 -Wno-error --offload-arch=" // clang 19 warns of version 6
)

// gpucodeTargets: PTX for NVIDIA's GPUs from the oldest on, for drivers that know PTX 6.0 (ptxas generates the same
// code from it as from PTX for newer ones), and code objects for AMD's, as amdTargets in pkg/gpu.
var gpucodeTargets = []gpucodeTarget{
	{"sm_70", "code/kernels.ptx", nvidia, lookAtPTX},
	codeObject(one, "gfx908"), codeObject(one, "gfx90a"), codeObject(one, "gfx942"), codeObject(one, "gfx1100"),
	codeObject(generic, "gfx10-3-generic"), codeObject(generic, "gfx11-generic"), codeObject(generic, "gfx12-generic"),
}

func codeObject(flags, gfx string) gpucodeTarget {
	return gpucodeTarget{gfx, "code/" + gfx + ".hsaco", flags + gfx, lookAtCodeObject}
}

// compile compiles for t in dir and checks the code.
func (t gpucodeTarget) compile(dir string) ([]byte, error) {
	out := t.name + ".out"
	args := append(strings.Fields(gpucodeAlways+" "+t.flags), "kernels.c", "-o", out)
	cmd := exec.Command(compiler, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "LLD_VERSION=lld") // otherwise the linker writes its version into the file
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", t.name, err, said)
	}
	code, err := os.ReadFile(filepath.Join(dir, out))
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(t.file, ".ptx") {
		code = withoutComments(code)
	}
	summary, err := t.look(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	fmt.Printf("%-15s %7d bytes, %s\n", t.name, len(code), summary)
	return code, nil
}

var (
	gpucodeComment = regexp.MustCompile(`[ \t]*//.*`)
	emptyLine      = regexp.MustCompile(`\n\s*\n`)
	entry          = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)
	slow           = regexp.MustCompile(`\.local\b|(?m:^\s*(@!?%p\d+\s+)?call\b)|\.func\b`)
)

// withoutComments returns PTX without comments and empty lines.
func withoutComments(code []byte) []byte {
	return bytes.TrimLeft(emptyLine.ReplaceAll(gpucodeComment.ReplaceAll(code, nil), []byte("\n")), "\n")
}

// lookAtPTX refuses local memory and function calls. Only a machine with ptxas can tell whether ptxas spills, see
// bench/gpu.
func lookAtPTX(code []byte) (string, error) {
	name := "the file"
	for _, line := range bytes.Split(code, []byte("\n")) {
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

// lookAtCodeObject refuses private memory and spilled registers, which the notes of the code object report.
func lookAtCodeObject(code []byte) (string, error) {
	note, err := gputest.CodeMetadata(code)
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
