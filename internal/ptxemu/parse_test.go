package ptxemu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is not PTX, or none that is known here, is an error of one line that says where.
func TestParseErrors(t *testing.T) {
	for body, want := range map[string]string{
		"add.s33 %r2, %r1, %r1;":                 "not known",
		"frobnicate %r1;":                        "not known",
		"add.rz.f64 %fd1, %fd2, %fd3;":           "not known",
		"add.s32 %r2, %r1;":                      "2 operands, want 3",
		"add.s32 %r2, %r1, %r99;":                `register "%r99" is not declared`,
		"add.s32 %q2, %r1, %r1;":                 `register "%q2" is not declared`,
		"add.s32 %tid.x, %r1, %r1;":              "not a register that can be written",
		"add.s32 5, %r1, %r1;":                   "not a register that can be written",
		"add.s32 %r2, %r1, banana;":              `operand "banana"`,
		"mov.f64 %fd1, 0d12;":                    "operand",
		"add.s32 %r2, %r1, %tid.y;":              "not declared",
		"bra $nowhere;":                          `no label "$nowhere"`,
		"bra.some $L;":                           "not known",
		"$L:\n$L:":                               "a second label $L",
		"shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;": "not known",
		"shfl.sync.bfly.b32 %r2, %r1, 1, 31, 7;": "not known",
		"shfl.sync.bfly.b32 %r2, %r1, 1;":        "3 operands, want 5",
		"bar.sync 1;":                            "not known",
		"@%p1 bar.sync 0;":                       "not known",
		"@%p1 ret;":                              "not known",
		"ld.global.u64 %rd5, %rd1;":              "address",
		"ld.global.u64 %rd5, [%rd1+x];":          "offset",
		"ld.u64 %rd5, [%rd1];":                   "not known",
		"ld.local.u64 %rd5, [%rd1];":             "not known",
		"ld.global.pred %p1, [%rd1];":            "not known",
		"ld.global.v2.u64 %rd5, [%rd1];":         "1 registers for 2 elements",
		"st.global.nc.u64 [%rd1], %rd5;":         "not known",
		"st.param.u64 [%rd1], %rd5;":             "not known",
		"mov.b64 {%r1, %r2, %r3}, %rd1;":         "3 registers for two halves",
		".reg .b33 %z<4>;":                       "registers of type",
		".reg .b32 %z<99999999>;":                "registers",
		".shared .align 8 .b8 big[99999];":       "more than 49152 bytes of shared memory",
		".shared .align 3 .b8 odd[9];":           "alignment",
		".shared .b8 many[-1];":                  "length",
		".local .b8 here[8];":                    "not known",
		"prefetch.L3 [%rd1];":                    "not known",
		"exit.now;":                              "not known",
	} {
		_, err := Parse(kernelText(body))
		wantFault(t, err, "PTX, line ", want)
	}
	for text, want := range map[string]string{
		"":                                     "without a kernel",
		"hello\n":                              "line 1: \"hello\" is not known",
		".version 7.8\n.address_size 32\n":     "addresses of \"32\" bits",
		".visible .entry (":                    "want .entry NAME(",
		".visible .entry a(\n.param .u64 x":    "do not end",
		".visible .entry a(\n.param .u64\n)":   "declaration",
		".visible .entry a(\n.param .u65 x\n)": "type",
		".visible .entry a(\n.param .align 8 .b8 x[4096],\n.param .u32 y\n)":            "more than 4096 bytes of parameters",
		".visible .entry a()\n.maxntid 4096, 1, 1":                                      "threads a block",
		".visible .entry a()\n.something":                                               "not known before",
		".visible .entry a()\n{\n":                                                      "a does not end",
		".visible .entry a()\n{\n}\n":                                                   "a does not end with ret",
		".visible .entry a()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\n}\n":                "does not end with ret",
		".visible .entry a()\n{\nret;\n}\n.visible .entry a()\n{\nret;\n}\n":            "a second kernel a",
		".visible .entry a()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\nret;\n$e:\nbra $e;": "does not end",
	} {
		_, err := Parse(text)
		wantFault(t, err, want)
	}
}

// The kernels of this project are read, and no text makes the parser or a kernel panic.
func FuzzParse(f *testing.F) {
	kernels, err := os.ReadFile(filepath.Join("..", "..", "pkg", "gpu", "source", "code", "kernels.ptx"))
	if err != nil {
		f.Fatal(err)
	}
	m, err := Parse(string(kernels))
	if err != nil || len(m.Kernels()) < 40 || m.Target == "" || m.Version == "" {
		f.Fatalf("%d kernels for %q, %v", len(m.Kernels()), m.Target, err)
	}
	head, _, _ := strings.Cut(string(kernels), ".visible .entry vector_scale")
	_, one, _ := strings.Cut(string(kernels), ".visible .entry vector_keep")
	one, _, _ = strings.Cut(one, "\n}\n")
	f.Add(head + ".visible .entry vector_keep" + one + "\n}\n")
	f.Add(kernelText("st.global.u64 [%rd1], %rd4;\nbar.sync 0;\nld.global.nc.v2.u32 {%r2, %r3}, [%rd1];"))
	f.Add(kernelText("$a:\n@%p1 bra $b;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\n$b:\nbfe.u32 %r2, %r1, 7, 40;\nst.shared.u32 [scratch], %r2;"))
	f.Add(kernelText("{ .reg .b32 tmp; mov.b64 {tmp, %r5}, %rd5; }\ncvt.rni.s32.f64 %r1, 0d7FF8000000000000;\ndiv.s32 %r2, %r1, 0;"))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			wantFault(t, err, "")
			return
		}
		d := New()
		d.Limit(2000)
		at := buffer(t, d, 1, 2, 3, 4)
		for _, name := range m.Kernels() {
			k := m.Kernel(name)
			var arguments [][]byte
			for _, p := range k.params {
				arguments = append(arguments, append(words(at), make([]byte, p.size)...)[:p.size])
			}
			if err := d.Launch(k, 2, Warp, arguments); err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("several lines: %q", err)
			}
		}
	})
}
