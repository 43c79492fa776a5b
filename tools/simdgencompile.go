package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	always = "-x c -std=c11 -O3 -ffreestanding -ffp-contract=off -fno-math-errno -fno-ident -fno-pic " +
		"-fno-asynchronous-unwind-tables -fno-stack-protector -fno-jump-tables -fno-unroll-loops -fno-vectorize -fno-slp-vectorize " +
		"-ffunction-sections -fdata-sections -fstack-usage -Wall -Wextra -Wno-unused-function -Werror -c"

	// mostStack is the largest stack usage of a kernel, in bytes.
	mostStack = 2048

	// script places the code and its constants one after the other, from the address BASE on.
	script = `SECTIONS {
	. = BASE;
	.text : ALIGN(64) { *(.start) *(.text*) }
	.rodata : ALIGN(64) { *(.rodata*) . = ALIGN(4); }
	end = .;
	/DISCARD/ : { *(.comment) *(.note*) *(.llvm_addrsig) *(.eh_frame*) *(.stack_sizes) }
}
`
)

// image is the machine code of a kernel: from its start, which calls the kernel, to the end of its constants, where
// the caller continues.
type image struct {
	kernel
	code  []byte
	lines map[int]string // the instruction at each byte where one begins
	stack int            // bytes that it needs
}

// assembleStart makes the object that calls the name KERNEL.
func (t *target) assembleStart(dir string) error {
	source := filepath.Join(dir, "start.s")
	if err := os.WriteFile(source, []byte(".section .start,\"ax\"\n.globl start\nstart:\n "+t.start), 0o666); err != nil {
		return err
	}
	_, err := command("clang-19", append(strings.Fields(t.flags), "-Wno-unused-command-line-argument", "-c", source, "-o", filepath.Join(dir, startObject))...)
	return err
}

// compile compiles a file of the source, and links each of its kernels that is for the target.
func (t *target) compile(source, dir string, kernels []kernel) (images []image, err error) {
	object := filepath.Join(dir, kernelsObject)
	text, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	args := append(strings.Fields(always+" "+t.flags), source, "-o", object)
	for _, m := range further.FindAllStringSubmatch(string(text), -1) {
		if m[1] == t.name {
			args = append(args, strings.Fields(m[2])...)
		}
	}
	if _, err := command("clang-19", args...); err != nil {
		return nil, err
	}
	stacks, err := stackUsage(strings.TrimSuffix(object, ".o") + ".su")
	if err != nil {
		return nil, err
	}
	for _, k := range kernels {
		if _, there := stacks[k.name]; !there {
			continue // the preprocessor has removed it
		}
		code, err := link(dir, linked(k), k, "--gc-sections", bases[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		images = append(images, image{kernel: k, code: code})
	}
	if len(images) == 0 {
		return nil, nil
	}
	if err := movable(dir, images[0].kernel); err != nil {
		return nil, err
	}
	if err := t.disassemble(images, dir); err != nil {
		return nil, err
	}
	for n := range images {
		i := &images[n]
		i.stack = stacks[i.name] + 2*t.align + 16 // begin and size aligned, and the return address
		if takes := i.takes(); takes > i.stack {
			return nil, fmt.Errorf("%s: takes %d bytes of the stack, and clang says %d", i.name, takes, stacks[i.name])
		}
		if i.stack > mostStack {
			return nil, fmt.Errorf("%s: takes %d bytes of the stack, more than %d", i.name, i.stack, mostStack)
		}
	}
	return images, nil
}

// Files of a folder while it is compiled.
const (
	startObject   = "start.o"
	kernelsObject = "kernels.o"
)

// linked returns the name of the file of a kernel at bases[0].
func linked(k kernel) string { return k.name + ".linked" }

// bases are the addresses that kernels are linked at. Their distance is not a multiple of a page.
var bases = []int{0x100000, 0x234040}

// link links the sections that a kernel needs, which start calls by the name KERNEL, or with --no-gc-sections all of its file, at an address,
// into the file out, and returns the code.
func link(dir, out string, k kernel, sections string, base int) ([]byte, error) {
	ld, out := filepath.Join(dir, "script.ld"), filepath.Join(dir, out)
	if err := os.WriteFile(ld, []byte(strings.Replace(script, "BASE", fmt.Sprint(base), 1)), 0o666); err != nil {
		return nil, err
	}
	if _, err := command("ld.lld-19", "-T", ld, "-e", "start", sections, "--defsym=KERNEL="+k.name, "-o", out, filepath.Join(dir, startObject), filepath.Join(dir, kernelsObject)); err != nil {
		return nil, err
	}
	return flat(out)
}

// movable links all kernels of a file, of which k is one, at two addresses. It returns an error if the code differs.
func movable(dir string, k kernel) error {
	var codes [2][]byte
	for n, base := range bases {
		var err error
		if codes[n], err = link(dir, "all", k, "--no-gc-sections", base); err != nil {
			return err
		}
	}
	if !bytes.Equal(codes[0], codes[1]) {
		return errors.New("the code depends on the address that it is at")
	}
	return nil
}

// disassemble sets the instructions of the images of a file, all at once, since starting the disassembler takes longer than its work.
func (t *target) disassemble(images []image, dir string) error {
	args := []string{"-d", "--no-show-raw-insn", "--section=.text"}
	for _, i := range images {
		args = append(args, filepath.Join(dir, linked(i.kernel)))
	}
	said, err := command("llvm-objdump-19", args...)
	if err != nil {
		return err
	}
	listings := strings.Split(said, "file format")[1:]
	if len(listings) != len(images) {
		return fmt.Errorf("llvm-objdump lists %d kernels of %d", len(listings), len(images))
	}
	for n, listing := range listings {
		i, calls := &images[n], 0
		i.lines = map[int]string{}
		for _, m := range instruction.FindAllStringSubmatch(listing, -1) {
			at, err := strconv.ParseInt(m[1], 16, 64)
			if err != nil {
				return err
			}
			if slices.Contains(t.calls, strings.Fields(m[2])[0]) {
				calls++
			}
			i.lines[int(at)-bases[0]] = address.ReplaceAllString(strings.Join(strings.Fields(comment.Split(m[2], 2)[0]), " "), "<")
		}
		if calls != 1 { // the call in start
			return fmt.Errorf("%s: the kernel calls a function", i.name)
		}
	}
	return nil
}

// takes returns the most stack that the instructions of a kernel for amd64 take, including alignment.
func (i *image) takes() int {
	total := 8 // the return address
	for _, line := range i.lines {
		var n int
		switch {
		case strings.HasPrefix(line, "pushq"):
			total += 8
		case scan(line, "andq $-0x%x, %%rsp", &n):
			total += n - 1
		case scan(line, "subq $0x%x, %%rsp", &n):
			total += n
		}
	}
	return total
}

func scan(line, format string, n *int) bool {
	count, err := fmt.Sscanf(line, format, n)
	return count == 1 && err == nil
}

// further matches a line of the source with flags of clang for a target.
var further = regexp.MustCompile(`(?m)^// Flags for (\w+): (.*)$`)

// instruction matches a line of llvm-objdump.
var instruction = regexp.MustCompile(`(?m)^ *([0-9a-f]+):\s+([^\n]*)`)

// comment matches the beginning of a comment of llvm-objdump.
var comment = regexp.MustCompile(`\s(#|//)\s`)

// address matches the target of a jump, which its label repeats.
var address = regexp.MustCompile(`0x[0-9a-f]+ <`)

// flat returns the sections of a linked file.
func flat(name string) (code []byte, err error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var base uint64
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 {
			continue
		}
		if s.Name != ".text" && s.Name != ".rodata" {
			return nil, fmt.Errorf("it has a section %s", s.Name)
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		if s.Name == ".text" {
			base = s.Addr
		}
		code = append(code, make([]byte, int(s.Addr-base)-len(code))...)
		code = append(code, data...)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if s.Name == "end" {
			code = append(code, make([]byte, int(s.Value-base)-len(code))...)
		}
	}
	return code, nil
}

// stackUsage reads and removes the file of -fstack-usage: the bytes of each function. Without functions there is no
// file.
func stackUsage(file string) (map[string]int, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	os.Remove(file)
	usage := map[string]int{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, err
		}
		usage[fields[0][strings.LastIndex(fields[0], ":")+1:]] = n
	}
	return usage, nil
}

// command runs a program and returns its output.
func command(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var faults bytes.Buffer
	cmd.Stderr = &faults
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, faults.Bytes())
	}
	return string(said), nil
}
