package gpu

import (
	"fmt"
	"reflect"
	"unsafe"
)

// kernel is a kernel's name in the sources and its arguments, without values; kernels in
// launch_gen.go lists all.
type kernel struct {
	name      string
	arguments arguments
}

// arguments are the arguments of a kernel: a struct that launch_gen.go declares, with a field for
// each but the number of blocks.
type arguments interface {
	number() int // of the kernel, in kernels
}

// coefficient and sum are the types of source/scalar.h.
type coefficient struct {
	scale          float64
	n0, d0, n1, d1 sum
}

type sum struct{ cell, area, parts, how uint32 }

// launch runs the kernel with these arguments on so many blocks, as one after everything
// else that the device does.
func launch[A arguments](d *Device, blocks uint32, a A) { launchOn(d, blocks, blocks, a) }

// launchParts does the same for a kernel whose blocks go through parts, EACH_PART in
// source/dialect.h: on no more blocks than the device has room for.
func launchParts[A arguments](d *Device, parts uint32, a A) {
	grid := parts
	if most := d.kernels[a.number()].resident; most > 0 {
		grid = min(parts, uint32(most))
	}
	launchOn(d, grid, parts, a)
}

func launchOn[A arguments](d *Device, grid, blocks uint32, a A) {
	if d.err != nil || blocks == 0 {
		return
	}
	*(*uint32)(unsafe.Pointer(&d.arguments)) = blocks
	*(*A)(unsafe.Pointer(&d.arguments[1])) = a
	k := &d.kernels[a.number()]
	k.launches++
	if err := d.drv.launch(k.handle, grid, &k.layout, &d.arguments[0]); err != nil {
		d.note("running "+kernels[a.number()].name, err)
	}
}

// argumentWords is room for the arguments of any kernel, in words of 8 bytes, the first of
// which is the number of blocks.
const argumentWords = 128

// layout is where the arguments of a kernel lie, gpu_layout in driver.h.
type layout struct {
	count    uint32
	at, size [48]uint16
}

// layoutOf returns the layout of a struct of arguments as launch copies it.
func layoutOf(a arguments) (l layout) {
	l.add(0, 4)
	t := reflect.TypeOf(a)
	if t.Size() > 8*(argumentWords-1) {
		panic(fmt.Sprintf("gpu: %s has %d bytes of arguments", t.Name(), t.Size()))
	}
	l.addFields(8, t)
	return l
}

func (l *layout) add(at, size uintptr) {
	l.at[l.count], l.size[l.count] = uint16(at), uint16(size)
	l.count++
}

func (l *layout) addFields(at uintptr, t reflect.Type) {
	for f := range t.Fields() {
		switch {
		case f.Anonymous: // arguments that several kernels have
			l.addFields(at+f.Offset, f.Type)
		case f.Type == reflect.TypeFor[buffer]():
			l.add(at+f.Offset, unsafe.Sizeof(buffer{}.handle))
		default:
			l.add(at+f.Offset, f.Type.Size())
		}
	}
}
