package codeobject

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// disassembler is LLVM's program, of the version that compiles the kernels.
const disassembler = "llvm-objdump-19"

// ErrNoDisassembler is the error where the program that disassembles is missing.
var ErrNoDisassembler = errors.New("no " + disassembler + " here (Debian's package is llvm-19)")

// Disassemble returns the instructions of a code object as llvm-objdump -d writes them.
func Disassemble(code []byte) (string, error) {
	program, err := exec.LookPath(disassembler)
	if err != nil {
		return "", ErrNoDisassembler
	}
	dir, err := os.MkdirTemp("", "codeobject")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "code")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		return "", err
	}
	text, err := exec.Command(program, "-d", file).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("%s: %s", disassembler, strings.TrimSpace(string(failed.Stderr)))
	}
	return string(text), err
}
