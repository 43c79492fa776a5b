// Command gpucode compiles the kernels of pkg/gpu for GPUs: PTX for NVIDIA's, code objects
// for AMD's, which are committed beside their source so that mpsolve builds without clang.
// It refuses code that spills registers, calls functions or keeps arrays in slow memory.
// With -check it compares what it compiles with what is committed. The compiler is
// clang 19: other versions make other code of the same source. See `make gpu-generate`.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

const (
	source   = "pkg/gpu/source"
	compiler = "clang-19"
	linker   = "ld.lld-19"
)

func main() {
	check := flag.Bool("check", false, "compare with the committed files instead of writing them")
	must := flag.Bool("must", false, "it is an error if "+compiler+" is not there")
	flag.Parse()
	if err := run(*check, *must); err != nil {
		fmt.Fprintln(os.Stderr, "gpucode:", err)
		os.Exit(1)
	}
}

func run(check, must bool) error {
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
	// Compiled elsewhere, so that a path that gets into the code is noticed.
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		return err
	}
	faults := make([]error, len(targets))
	var wg sync.WaitGroup
	for k, t := range targets {
		wg.Go(func() { faults[k] = t.do(dir, check) })
	}
	wg.Wait()
	return errors.Join(faults...)
}

// target is an architecture to compile for.
type target struct {
	name  string // of the file
	flags string
	look  func(code []byte) (summary string, err error)
}

const (
	// Without vendors' headers, paths, identifiers and versions in the code.
	always = "-O3 -ffp-contract=off -fno-ident -fno-verbose-asm -Wall -Wextra -Werror -Wno-unused-parameter " +
		"-Wno-unused-variable -Wno-unused-but-set-variable --cuda-device-only"
	nvidia = "-x cuda -nocudainc -nocudalib -S --cuda-gpu-arch=sm_%d -Xclang -target-feature -Xclang +ptx%d"
	amd    = "-x hip -nogpuinc -nogpulib --no-gpu-bundle-output -fuse-cuid=none -mcode-object-version=4 -Xoffload-linker -s --offload-arch=%s"
)

var targets = []target{
	ptx(70, 60), ptx(80, 70), ptx(90, 78),
	codeObject("gfx90a"), codeObject("gfx942"), codeObject("gfx1100"),
}

// ptx is for NVIDIA's GPUs from an architecture on, by drivers that know a version of PTX.
func ptx(sm, version int) target {
	return target{fmt.Sprintf("ptx/sm_%d.ptx", sm), fmt.Sprintf(nvidia, sm, version), lookAtPTX}
}

func codeObject(gfx string) target {
	return target{"code/" + gfx + ".hsaco", fmt.Sprintf(amd, gfx), lookAtCodeObject}
}

// do compiles for t in dir, looks at the code and writes it to the source or compares it.
func (t target) do(dir string, check bool) error {
	code, err := t.compile(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	summary, err := t.look(code)
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	fmt.Printf("%-20s %7d bytes, %s\n", t.name, len(code), summary)
	committed := filepath.Join(source, t.name)
	if check {
		if was, err := os.ReadFile(committed); err != nil || !bytes.Equal(was, code) {
			return fmt.Errorf("%s: not what %s makes of the source; run make gpu-generate", committed, compiler)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(committed), 0o777); err != nil {
		return err
	}
	return os.WriteFile(committed, code, 0o666)
}

func (t target) compile(dir string) ([]byte, error) {
	out := filepath.Base(t.name) + ".out"
	args := append(strings.Fields(always+" "+t.flags), "kernels.c", "-o", out)
	cmd := exec.Command(compiler, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "LLD_VERSION=lld") // the linker writes that down
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, said)
	}
	return os.ReadFile(filepath.Join(dir, out))
}
