package gpu

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/mpsolve/mpsolve/internal/ptxemu"
)

// ptxDriver runs the kernels' PTX on the host; see internal/ptxemu. It needs no cgo.
type ptxDriver struct {
	*ptxemu.Device
	module  *ptxemu.Module
	kernels []*ptxemu.Kernel
	host    map[unsafe.Pointer][]uint64
	plant   func(text string) string // changes the kernels; nil for as they are
	asked   uint64                   // see spent
}

// ptx opens a device that runs the kernels' PTX, in random order unless seed is 0.
func ptx(t testing.TB, seed uint64) *Device {
	t.Helper()
	return opened(t, planted(t, seed, nil))
}

// planted opens such a device with other kernels.
func planted(t testing.TB, seed uint64, plant func(text string) string) *Device {
	t.Helper()
	drv := &ptxDriver{Device: ptxemu.New(), host: map[unsafe.Pointer][]uint64{}, plant: plant}
	if seed != 0 {
		drv.Shuffle(seed)
	}
	d := &Device{drv: drv, info: Info{Backend: CUDA}}
	if err := d.start(); err != nil {
		t.Fatal(err)
	}
	return d
}

// interpreted says whether a device is of ptx.
func interpreted(d *Device) bool {
	_, ok := d.drv.(*ptxDriver)
	return ok
}

// spent says that an interpreter has executed more than so many instructions of warps for each
// time that it was asked: then a test leaves out a case.
func spent(d *Device, each uint64) bool {
	p, ok := d.drv.(*ptxDriver)
	if !ok {
		return false
	}
	p.asked++
	var sum uint64
	for _, k := range p.kernels {
		sum += p.Counts(k).Total().Instructions
	}
	return sum > each*p.asked
}

// ptxResident is the number of blocks that a device of ptx has room for.
var ptxResident = 24

// ptxModules keeps what has been parsed, by the text.
var ptxModules = map[string]*ptxemu.Module{}

func (p *ptxDriver) info() (Info, error) {
	return Info{Name: "interpreter of PTX", Architecture: "sm_90", Units: 1}, nil
}

func (p *ptxDriver) load(image []byte) (err error) {
	text := string(image)
	if p.plant != nil {
		text = p.plant(text)
	}
	if p.module = ptxModules[text]; p.module == nil {
		if p.module, err = ptxemu.Parse(text); err != nil {
			return ptxError(err)
		}
		ptxModules[text] = p.module
	}
	return nil
}

func (p *ptxDriver) kernel(name string) (handle uintptr, resident int, err error) {
	k := p.module.Kernel(name)
	if k == nil {
		return 0, 0, &Error{Text: "there is no kernel " + name}
	}
	p.kernels = append(p.kernels, k)
	return uintptr(len(p.kernels)), ptxResident, nil
}

func (p *ptxDriver) launch(kernel uintptr, grid uint32, where *layout, arguments *uint64) error {
	raw := unsafe.Slice((*byte)(unsafe.Pointer(arguments)), 8*argumentWords)
	values := make([][]byte, where.count)
	for i := range values {
		values[i] = raw[where.at[i]:][:where.size[i]]
	}
	return ptxError(p.Launch(p.kernels[kernel-1], int(grid), threads, values))
}

func (p *ptxDriver) alloc(bytes int64) (uint64, error) {
	if bytes > 1<<32 {
		return 0, &Error{Text: fmt.Sprintf("%d bytes are too much for an interpreter", bytes)}
	}
	return p.Alloc(uint64(bytes)), nil
}

func (p *ptxDriver) release(buffer uint64) { p.Release(buffer) }

func (p *ptxDriver) allocHost(bytes int64) (unsafe.Pointer, error) {
	b := make([]uint64, bytes/8+1)
	at := unsafe.Pointer(unsafe.SliceData(b))
	p.host[at] = b
	return at, nil
}

func (p *ptxDriver) releaseHost(memory unsafe.Pointer) { delete(p.host, memory) }

func (p *ptxDriver) upload(to uint64, at int64, from unsafe.Pointer, bytes int64, _ bool) error {
	return ptxError(p.Write(to+uint64(at), unsafe.Slice((*byte)(from), bytes)))
}

func (p *ptxDriver) download(to unsafe.Pointer, from uint64, at, bytes int64, _ bool) error {
	return ptxError(p.Read(unsafe.Slice((*byte)(to), bytes), from+uint64(at)))
}

func (p *ptxDriver) copy(to, from uint64, bytes int64) error {
	return ptxError(p.Copy(to, from, uint64(bytes)))
}

func (p *ptxDriver) zero(to uint64, bytes int64) error { return ptxError(p.Zero(to, uint64(bytes))) }
func (p *ptxDriver) record(int) error                  { return nil }
func (p *ptxDriver) wait(int) error                    { return nil }
func (p *ptxDriver) sync() error                       { return nil }
func (p *ptxDriver) close()                            {}

func ptxError(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Text: err.Error()}
}
