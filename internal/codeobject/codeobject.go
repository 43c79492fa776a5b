// Package codeobject reads the code objects that AMD's GPUs run: ELF files with a note on their
// kernels and a descriptor of each. See the AMDGPU back end's user guide in LLVM's documentation.
package codeobject

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// Metadata is what the note AMDGPU of a code object says.
func Metadata(code []byte) (map[string]any, error) {
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
	v, err := unpack(b[header+name:][:size])
	if err != nil {
		return nil, err
	}
	note, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("its note is no map")
	}
	return note, nil
}

// Kernel is what a code object says of one of its kernels, sizes in bytes.
type Kernel struct {
	Name      string
	Entry     uint64 // address of the first instruction
	Shared    int    // LDS
	Private   int    // scratch, of a thread
	Arguments []Argument
	ArgBytes  int // of all arguments
	Wave      int // threads that run together
	Threads   int // of a block at most
	Vector    int // registers

	Float      int  // FLOAT_MODE: rounding and subnormal numbers
	Properties int  // of the kernel's first scalar registers, ENABLE_SGPR_...
	Preloaded  int  // arguments in registers
	UserSGPRs  int  // scalar registers that the launch sets
	BlockID    bool // is in the register after these
}

// Argument is where an argument lies among them.
type Argument struct{ At, Size int }

// Kernels returns the kernels of a code object by name.
func Kernels(code []byte) (map[string]*Kernel, error) {
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
	all := map[string]*Kernel{}
	list, _ := note["amdhsa.kernels"].([]any)
	for _, one := range list {
		m, _ := one.(map[string]any)
		number := func(key string) int { n, _ := m[key].(int); return n }
		name, _ := m[".name"].(string)
		symbol, _ := m[".symbol"].(string)
		k := &Kernel{
			Name: name, Shared: number(".group_segment_fixed_size"), Private: number(".private_segment_fixed_size"), ArgBytes: number(".kernarg_segment_size"),
			Wave: number(".wavefront_size"), Threads: number(".max_flat_workgroup_size"), Vector: number(".vgpr_count"),
		}
		arguments, _ := m[".args"].([]any)
		for _, one := range arguments {
			a, _ := one.(map[string]any)
			offset, _ := a[".offset"].(int)
			size, _ := a[".size"].(int)
			k.Arguments = append(k.Arguments, Argument{offset, size})
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

// describe reads the kernel's descriptor, of 64 bytes at an address.
func (k *Kernel) describe(f *elf.File, at uint64) error {
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
