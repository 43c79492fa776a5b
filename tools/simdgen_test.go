package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Code that a kernel must not contain is refused, for each target.
func TestRefused(t *testing.T) {
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	const add = "KERNEL_I64(add, double x[], i64 x_len, double by[2]) { for (i64 i = 0; i < x_len; i++) x[i] += by[1]; return x_len; }\n"
	for _, c := range []struct{ name, code, fault string }{
		{"accepted", add, ""},
		{"calls a function", "__attribute__((noinline)) static void f(double *x) { __asm__ volatile(\"\"); *x += 1; }\nKERNEL(k, double *x) { f(x); f(x); }\n", "calls a function"},
		{"calls another file", "void other(double *);\nKERNEL(k, double *x) { other(x); }\n", "undefined symbol: other"},
		{"large stack", "KERNEL(k, double *x, i64 n) { double y[400]; for (i64 i = 0; i < 400; i++) y[i] = x[n - i]; for (i64 i = 0; i < 400; i++) x[i] = y[(i * n) & 255]; }\n", "of the stack"},
		{"variables", "static double last;\nKERNEL(k, double *x) { *x += last; last = *x; }\n", "section .bss"},
		{"address in data", "static const u16 a[2] = {1, 2}, b[2] = {3, 4};\nstatic const u16 *volatile const list[2] = {a, b};\nKERNEL(k, double *x, i64 n) { *x = list[n][0]; }\n", "address"},
		{"no kernel", "static double f;\n", "no KERNEL"},
		{"many arguments", "KERNEL(k, double *x, double a, double b, double c, double d, double e) { *x = a + b + c + d + e; }\n", "registers"},
		{"narrow argument", "KERNEL(k, double *x, i32 i) { *x = i; }\n", "i32 i"},
	} {
		for _, target := range targets {
			t.Run(c.name+"/"+target.name, func(t *testing.T) {
				dir := t.TempDir()
				if err := copyFile("../internal/kernels/c/simd.h", filepath.Join(dir, "simd.h")); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "k.c"), []byte("#include \"simd.h\"\n"+c.code), 0o666); err != nil {
					t.Fatal(err)
				}
				images, err := target.compileAll(dir)
				var files map[string][]byte
				if err == nil {
					files, err = target.write(images, nil)
				}
				switch {
				case c.fault == "" && (err != nil || !strings.Contains(string(files[target.file()+".go"]), "func Add"+target.suffix+"(x []float64, by *[2]float64) int")):
					t.Errorf("%v: %s", err, files)
				case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
					t.Errorf("%v, want %q", err, c.fault)
				}
			})
		}
	}
}

// The stack usage is computed from the instructions.
func TestTakes(t *testing.T) {
	i := image{lines: map[int]string{0: "pushq %rbp", 1: "pushq %r15", 2: "andq $-0x40, %rsp", 6: "subq $0x5c0, %rsp", 9: "vmovapd %zmm0, 0x540(%rsp)"}}
	if got, want := i.takes(), 8+16+63+0x5c0; got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}
