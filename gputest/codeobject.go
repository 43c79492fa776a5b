// Code objects are the files that AMD's GPUs run: ELF files with a note that describes their kernels and a descriptor
// of each kernel. See the user guide of the AMDGPU back end in LLVM's documentation.
package gputest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// CodeMetadata returns the contents of the note AMDGPU of a code object.
func CodeMetadata(code []byte) (map[string]any, error) {
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	return metadata(f)
}

func metadata(f *elf.File) (map[string]any, error) {
	s := f.Section(".note")
	if s == nil {
		return nil, errors.New("no notes")
	}
	b, err := s.Data()
	if err != nil {
		return nil, err
	}
	const header, kind = 12, 32 // NT_AMDGPU_METADATA
	if len(b) < header || binary.LittleEndian.Uint32(b[8:]) != kind {
		return nil, errors.New("no note of its kernels")
	}
	name := int(binary.LittleEndian.Uint32(b)+3) / 4 * 4
	size := int(binary.LittleEndian.Uint32(b[4:]))
	if len(b) < header+name+size {
		return nil, errors.New("its note is cut off")
	}
	v, err := codeUnpack(b[header+name:][:size])
	if err != nil {
		return nil, err
	}
	note, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("its note is no map")
	}
	return note, nil
}

// CodeKernel is the description of a kernel in a code object, sizes in bytes.
type CodeKernel struct {
	Name      string
	Entry     uint64 // address of the first instruction
	Shared    int    // LDS
	Private   int    // scratch, per thread
	Arguments []CodeArgument
	ArgBytes  int // of all arguments
	Wave      int // threads that run together
	Threads   int // largest number in a block
	Vector    int // registers

	Float      int  // FLOAT_MODE: rounding and subnormal numbers
	Properties int  // which first scalar registers the kernel wants, ENABLE_SGPR_...
	Preloaded  int  // arguments in registers
	UserSGPRs  int  // scalar registers that the launch sets
	BlockID    bool // the block's number is in the register after these
}

// CodeArgument is the position and the size of an argument in the argument buffer.
type CodeArgument struct{ At, Size int }

// CodeKernels returns the kernels of a code object by name.
func CodeKernels(code []byte) (map[string]*CodeKernel, error) {
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	note, err := metadata(f)
	if err != nil {
		return nil, err
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	at := map[string]uint64{}
	for _, s := range symbols {
		at[s.Name] = s.Value
	}
	all := map[string]*CodeKernel{}
	list, _ := note["amdhsa.kernels"].([]any)
	for _, one := range list {
		m, _ := one.(map[string]any)
		number := func(key string) int { n, _ := m[key].(int); return n }
		name, _ := m[".name"].(string)
		symbol, _ := m[".symbol"].(string)
		k := &CodeKernel{
			Name: name, Shared: number(".group_segment_fixed_size"), Private: number(".private_segment_fixed_size"), ArgBytes: number(".kernarg_segment_size"),
			Wave: number(".wavefront_size"), Threads: number(".max_flat_workgroup_size"), Vector: number(".vgpr_count"),
		}
		arguments, _ := m[".args"].([]any)
		for _, one := range arguments {
			a, _ := one.(map[string]any)
			offset, _ := a[".offset"].(int)
			size, _ := a[".size"].(int)
			k.Arguments = append(k.Arguments, CodeArgument{offset, size})
		}
		if err := k.describe(f, at[symbol]); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", name, err)
		}
		all[name] = k
	}
	if len(all) == 0 {
		return nil, errors.New("no kernels")
	}
	return all, nil
}

// describe reads the kernel's descriptor, 64 bytes at an address.
func (k *CodeKernel) describe(f *elf.File, at uint64) error {
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || at < s.Addr || at+64 > s.Addr+s.Size {
			continue
		}
		b, err := s.Data()
		if err != nil {
			return err
		}
		b = b[at-s.Addr:][:64]
		k.Entry = at + binary.LittleEndian.Uint64(b[16:])
		one, two := binary.LittleEndian.Uint32(b[48:]), binary.LittleEndian.Uint32(b[52:]) // COMPUTE_PGM_RSRC1 and 2
		k.Float = int(one >> 12 & 255)
		k.UserSGPRs, k.BlockID = int(two>>1&31), two>>7&1 != 0
		k.Properties = int(binary.LittleEndian.Uint16(b[56:]))
		k.Preloaded = int(binary.LittleEndian.Uint16(b[58:])) & 127
		return nil
	}
	return errors.New("no descriptor")
}

var errShort = errors.New("MessagePack: cut off")

// codeUnpack reads the MessagePack of a code object's note: maps with string keys, lists, strings, non-negative
// integers and truth values.
func codeUnpack(b []byte) (v any, err error) {
	r := packReader{b}
	defer func() {
		if e, ok := recover().(error); ok {
			v, err = nil, e
		}
	}()
	return r.value(), nil
}

type packReader struct{ b []byte }

func (r *packReader) take(n int) []byte {
	if n > len(r.b) {
		panic(errShort)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// number reads a big-endian number of n bytes.
func (r *packReader) number(n int) (v int) {
	for _, c := range r.take(n) {
		v = v<<8 | int(c)
	}
	return v
}

func (r *packReader) value() any {
	switch c := r.number(1); {
	case c < 0x80:
		return c
	case c < 0x90:
		return r.pairs(c & 15)
	case c < 0xa0:
		return r.list(c & 15)
	case c < 0xc0:
		return string(r.take(c & 31))
	case c == 0xc2 || c == 0xc3:
		return c == 0xc3
	case c >= 0xcc && c <= 0xcf:
		return r.number(1 << (c - 0xcc))
	case c >= 0xd9 && c <= 0xdb:
		return string(r.take(r.number(1 << (c - 0xd9))))
	case c == 0xdc || c == 0xdd:
		return r.list(r.number(2 << (c - 0xdc)))
	case c == 0xde || c == 0xdf:
		return r.pairs(r.number(2 << (c - 0xde)))
	default:
		panic(fmt.Errorf("MessagePack: type %#x, which is not known here", c))
	}
}

func (r *packReader) list(n int) (l []any) {
	for range n {
		l = append(l, r.value())
	}
	return l
}

func (r *packReader) pairs(n int) map[string]any {
	m := map[string]any{}
	for range n {
		key, _ := r.value().(string)
		m[key] = r.value()
	}
	return m
}

// disassembler is LLVM's disassembler, of the version that compiles the kernels.
const disassembler = "llvm-objdump-19"

// ErrNoDisassembler is returned if the disassembler is missing.
var ErrNoDisassembler = errors.New("no " + disassembler + " here (Debian's package is llvm-19)")

// Disassemble returns the instructions of a code object in the format of llvm-objdump -d.
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
