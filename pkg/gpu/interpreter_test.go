package gpu

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/gputest"
)

// interpreter runs the kernels' machine code on the host: PTX by gputest.PTX, code objects by
// gputest.GCN. It needs no cgo.
type interpreter struct {
	*gputest.Device
	device   Info
	parse    func(image []byte) (find func(name string) *program, err error)
	find     func(name string) *program
	programs []*program
	host     map[unsafe.Pointer][]uint64
	asked    uint64 // see spent
	weight   uint64 // of an instruction in spent
}

// program is a kernel that an interpreter runs.
type program struct {
	name   string
	launch func(blocks int, arguments [][]byte) error
	counts *gputest.Counts
}

// machine is a device that runs kernels K, of which a module has some by name.
type machine[K any] interface {
	Launch(k *K, blocks, threads int, arguments [][]byte) error
	Counts(k *K) *gputest.Counts
}

// programs finds the kernels of a module.
func programs[K any](m machine[K], kernel func(name string) *K) func(name string) *program {
	return func(name string) *program {
		k := kernel(name)
		if k == nil {
			return nil
		}
		return &program{name, func(blocks int, arguments [][]byte) error { return m.Launch(k, blocks, threads, arguments) }, m.Counts(k)}
	}
}

// planting changes the text of the kernels.
type planting func(text string) string

func (p planting) of(text string) string {
	if p == nil {
		return text
	}
	return p(text)
}

// Modules keep what has been parsed, by the text, and disassembled keeps texts, by the target.
var (
	ptxModules   = map[string]*gputest.PTXModule{}
	amdModules   = map[string]*gputest.GCNModule{}
	disassembled = map[string]string{}
)

// ptx opens a device that runs the kernels' PTX, in random order unless seed is 0.
func ptx(t testing.TB, seed uint64) *Device {
	t.Helper()
	return opened(t, plantedPTX(t, seed, nil))
}

// plantedPTX opens such a device with other kernels.
func plantedPTX(t testing.TB, seed uint64, plant planting) *Device {
	t.Helper()
	d := gputest.NewPTX()
	return interpreted(t, seed, &interpreter{Device: d.Device, weight: 1, device: Info{Name: "interpreter of PTX", Architecture: "sm_90", Backend: CUDA, Units: 1}, parse: func(image []byte) (_ func(string) *program, err error) {
		text := plant.of(string(image))
		m := ptxModules[text]
		if m == nil {
			if m, err = gputest.ParsePTX(text); err != nil {
				return nil, err
			}
			ptxModules[text] = m
		}
		return programs(d, m.Kernel), nil
	}})
}

// amd opens a device that runs the code object of a target, in random order unless seed is 0. Without
// a disassembler it skips.
func amd(t testing.TB, target string, seed uint64) *Device {
	t.Helper()
	return opened(t, plantedAMD(t, target, seed, nil))
}

// plantedAMD opens such a device with other kernels.
func plantedAMD(t testing.TB, target string, seed uint64, plant planting) *Device {
	t.Helper()
	object := file("code/" + target + ".hsaco")
	text, ok := disassembled[target]
	if !ok {
		var err error
		if text, err = gputest.Disassemble(object); errors.Is(err, gputest.ErrNoDisassembler) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		disassembled[target] = text
	}
	d := gputest.NewGCN()
	return interpreted(t, seed, &interpreter{Device: d.Device, weight: 8, device: Info{Name: "interpreter of " + target, Architecture: architectures[target], Backend: HIP, Units: 1}, parse: func([]byte) (func(string) *program, error) {
		text := plant.of(text)
		m := amdModules[text]
		if m == nil {
			kernels, err := gputest.CodeKernels(object)
			if err != nil {
				return nil, err
			}
			if m, err = gputest.ParseGCN(kernels, text); err != nil {
				return nil, err
			}
			amdModules[text] = m
		}
		return programs(d, m.Kernel), nil
	}})
}

// architectures has a GPU of each target.
var architectures = map[string]string{
	"gfx908": "gfx908", "gfx90a": "gfx90a", "gfx942": "gfx942", "gfx1100": "gfx1100", "gfx10-3-generic": "gfx1030", "gfx11-generic": "gfx1102", "gfx12-generic": "gfx1201",
}

// interpreted opens a device of an interpreter.
func interpreted(t testing.TB, seed uint64, i *interpreter) *Device {
	t.Helper()
	i.host = map[unsafe.Pointer][]uint64{}
	if seed != 0 {
		i.Shuffle(seed)
	}
	d := &Device{drv: i, info: Info{Backend: i.device.Backend}}
	if err := d.start(); err != nil {
		t.Fatal(err)
	}
	return d
}

// isInterpreted says whether a device is an interpreter.
func isInterpreted(d *Device) bool {
	_, ok := d.drv.(*interpreter)
	return ok
}

// spent says that an interpreter has executed more than so many instructions of warps for each
// time that it was asked: then a test leaves out a case.
func spent(d *Device, each uint64) bool {
	i, ok := d.drv.(*interpreter)
	if !ok {
		return false
	}
	i.asked++
	var sum uint64
	for _, p := range i.programs {
		sum += p.counts.Instructions
	}
	return sum*i.weight > each*i.asked
}

// interpreterBlocks is the number of blocks that an interpreter has room for.
var interpreterBlocks = 24

func (i *interpreter) info() (Info, error) { return i.device, nil }

func (i *interpreter) load(image []byte) (err error) {
	i.find, err = i.parse(image)
	return interpreterError(err)
}

func (i *interpreter) kernel(name string) (handle uintptr, resident int, err error) {
	p := i.find(name)
	if p == nil {
		return 0, 0, &Error{Text: "there is no kernel " + name}
	}
	i.programs = append(i.programs, p)
	return uintptr(len(i.programs)), interpreterBlocks, nil
}

func (i *interpreter) launch(kernel uintptr, grid uint32, where *layout, arguments *uint64) error {
	raw := unsafe.Slice((*byte)(unsafe.Pointer(arguments)), 8*argumentWords)
	values := make([][]byte, where.count)
	for k := range values {
		values[k] = raw[where.at[k]:][:where.size[k]]
	}
	return interpreterError(i.programs[kernel-1].launch(int(grid), values))
}

func (i *interpreter) alloc(bytes int64) (uint64, error) {
	if bytes > 1<<32 {
		return 0, &Error{Text: fmt.Sprintf("%d bytes are too much for an interpreter", bytes)}
	}
	return i.Alloc(uint64(bytes)), nil
}

func (i *interpreter) release(buffer uint64) { i.Release(buffer) }

func (i *interpreter) allocHost(bytes int64) (unsafe.Pointer, error) {
	b := make([]uint64, bytes/8+1)
	at := unsafe.Pointer(unsafe.SliceData(b))
	i.host[at] = b
	return at, nil
}

func (i *interpreter) releaseHost(memory unsafe.Pointer) { delete(i.host, memory) }

func (i *interpreter) upload(to uint64, at int64, from unsafe.Pointer, bytes int64, _ bool) error {
	return interpreterError(i.Write(to+uint64(at), unsafe.Slice((*byte)(from), bytes)))
}

func (i *interpreter) download(to unsafe.Pointer, from uint64, at, bytes int64, _ bool) error {
	return interpreterError(i.Read(unsafe.Slice((*byte)(to), bytes), from+uint64(at)))
}

func (i *interpreter) copy(to, from uint64, bytes int64) error {
	return interpreterError(i.Copy(to, from, uint64(bytes)))
}

func (i *interpreter) zero(to uint64, bytes int64) error {
	return interpreterError(i.Zero(to, uint64(bytes)))
}

func (i *interpreter) record(int) error { return nil }
func (i *interpreter) wait(int) error   { return nil }
func (i *interpreter) sync() error      { return nil }
func (i *interpreter) close()           {}

func interpreterError(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Text: err.Error()}
}
