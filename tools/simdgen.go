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
	"sync"
)

const (
	sourceDir  = "internal/kernels/c"
	packageDir = "internal/kernels/simd"
)

var programs = []string{"clang-19", "ld.lld-19", "llvm-objdump-19"}

// simdgenMain compiles the kernels of internal/kernels/c, C with vectors, for AVX2, AVX-512 and NEON, and writes them
// as Go assembly to internal/kernels/simd, which is committed so that mpsolve builds without clang. It refuses code
// that calls functions, needs external data, or takes much stack. With -check it compares its results with the
// committed files; with -disassembly it prints the instructions of kernels instead. The compiler is clang 19: other
// versions generate other code from the same source. See `make kernels-generate`.
func simdgenMain() {
	check := flag.Bool("check", false, "compare with the committed files instead of writing them")
	must := flag.Bool("must", false, "it is an error if clang 19 is not there")
	disassembly := flag.String("disassembly", "", "print the instructions of the kernels whose names match this `expression`, and write nothing")
	flag.Parse()
	if err := run(*check, *must, *disassembly); err != nil {
		fmt.Fprintln(os.Stderr, "simdgen:", err)
		os.Exit(1)
	}
}

func run(check, must bool, disassembly string) error {
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			const packages = "(Debian's packages are clang-19, lld-19 and llvm-19)"
			if must {
				return fmt.Errorf("no %s here %s", program, packages)
			}
			fmt.Printf("SKIPPED: no %s here %s\n", program, packages)
			return nil
		}
	}
	match, err := regexp.Compile(disassembly)
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	compiled, faults := make([][]image, len(targets)), make([]error, len(targets))
	for k, t := range targets {
		wait.Go(func() { compiled[k], faults[k] = t.compileAll(sourceDir) })
	}
	wait.Wait()
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for k, t := range targets {
		if disassembly != "" {
			t.disassembly(os.Stdout, compiled[k], match)
			continue
		}
		var narrower []image
		if k > 0 && targets[k-1].goarch == t.goarch {
			narrower = compiled[k-1]
		}
		files, err := t.write(compiled[k], narrower)
		if err != nil {
			return err
		}
		for name, text := range files {
			path := filepath.Join(packageDir, name)
			if !check {
				err = os.WriteFile(path, text, 0o666)
			} else if was, fault := os.ReadFile(path); fault != nil || !bytes.Equal(was, text) {
				err = fmt.Errorf("%s: not what clang 19 makes of the source; run make kernels-generate", path)
			}
			faults = append(faults, err)
		}
	}
	if err := errors.Join(faults...); err != nil || disassembly != "" {
		return err
	}
	return compiledKernels.write(check)
}

// target is a set of instructions to compile for.
type target struct {
	name   string // of the files, NAME_GOARCH.s
	suffix string // of the functions, and the name of the table of them: the number of lanes of a vector
	goarch string
	flags  string   // of clang
	start  string   // assembly that calls KERNEL and continues at the end of the code
	calls  []string // instructions that call functions
	align  int      // of the stack, at most
	// directives write bytes, the widest first.
	directives []directive
	convention
	wrapper
}

// convention is the calling convention of C: the registers of its arguments and of its result.
type convention struct {
	load             map[string]string // the instruction that loads an argument, by its kind
	integers, floats []string          // registers of integers and pointers, and of floating-point numbers
	spare            string            // a register on the way to an argument on the stack, if these are supported
	result           string            // the register of an integer result
}

// wrapper is the assembly around the code of C.
type wrapper struct {
	enter, leave string
	raise, lower string // change the stack pointer by a number of bytes
}

// directive writes bytes of code into assembly; short is a macro that stands for it and for the $ behind it.
type directive struct {
	short, long string
	size        int
}

var (
	directivesAMD64 = []directive{{"Q", "QUAD", 8}, {"L", "LONG", 4}, {"B", "BYTE", 1}}
	directivesARM64 = []directive{{"D", "DWORD", 8}, {"W", "WORD", 4}}
)

// conventionAMD64 is the part of the System V calling convention that kernels use.
var conventionAMD64 = convention{
	load:     map[string]string{"integer": "MOVQ", "double": "MOVSD", "float": "MOVSS"},
	integers: []string{"DI", "SI", "DX", "CX", "R8", "R9"},
	floats:   []string{"X0", "X1", "X2", "X3"},
	spare:    "AX", result: "AX",
}

var targets = []*target{
	{
		name: "avx2", suffix: "Quad", goarch: "amd64",
		flags: "--target=x86_64-unknown-linux -mavx2 -mfma -mbmi2 -mtune=znver3 -mno-red-zone -mstack-alignment=8",
		start: "call KERNEL\n jmp end\n", calls: []string{"callq"}, align: 32, directives: directivesAMD64,
		convention: conventionAMD64, wrapper: wrapper{raise: "ADJSP $-%d", lower: "ADJSP $%d"},
	},
	{
		name: "avx512", suffix: "Oct", goarch: "amd64",
		flags: "--target=x86_64-unknown-linux -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mavx512vbmi -mfma -mbmi2 -mpopcnt -mlzcnt " +
			"-mprefer-vector-width=512 -mtune=znver4 -mno-red-zone -mstack-alignment=8",
		start: "call KERNEL\n jmp end\n", calls: []string{"callq"}, align: 64, directives: directivesAMD64,
		convention: conventionAMD64, wrapper: wrapper{raise: "ADJSP $-%d", lower: "ADJSP $%d"},
	},
	{
		name: "neon", suffix: "Quad", goarch: "arm64",
		flags: "--target=aarch64-unknown-linux -mcmodel=tiny -ffixed-x18 -ffixed-x28 -mtune=neoverse-n1",
		start: "bl KERNEL\n b end\n", calls: []string{"bl", "blr"}, align: 32, directives: directivesARM64,
		convention: convention{
			load:     map[string]string{"integer": "MOVD", "double": "FMOVD", "float": "FMOVS"},
			integers: []string{"R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7"},
			floats:   []string{"F0", "F1", "F2", "F3"}, result: "R0",
		},
		// The assembler does not see that the code calls, and C preserves R19.
		wrapper: wrapper{enter: "MOVD R30, R19", leave: "MOVD R19, R30", raise: "ADD $%d, RSP", lower: "SUB $%d, RSP"},
	},
}
