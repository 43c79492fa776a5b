package ptxemu

import (
	"fmt"
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/simt"
)

// access loads or stores, for the threads of a mask.
func (w *warp) access(in *instruction, pc int, mask uint32) error {
	a := &in.address
	same := in.kind == load && mask == everyLane && w.registers[a.base].uniform
	base, n := w.registers[a.base].read(), a.bytes*uint64(a.elements)
	for _, r := range in.more {
		if in.kind == load {
			w.registers[r].lanes(mask)
		} else {
			w.registers[r].read()
		}
	}
	request := w.b.d.Request(&w.b.Block, !a.global)
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		request.By(w.first+l, same)
		m, at, err := request.At(base[l]+a.offset, n, n)
		if err == nil {
			err = w.elements(in, l, &request, m, at)
		}
		if err != nil {
			return err
		}
		if same {
			for _, r := range in.more {
				w.registers[r].set(w.registers[r].v[l])
			}
			break
		}
	}
	if a.global {
		w.b.counts.Requested(pc, &request)
	}
	return nil
}

// elements moves what one thread loads or stores.
func (w *warp) elements(in *instruction, l int, request *simt.Request, m *simt.Memory, at uint64) error {
	a, through := &in.address, simt.Coherent
	if a.constant {
		through = simt.ReadOnly
	}
	for _, r := range in.more {
		v := &w.registers[r].v[l]
		if in.kind == store {
			if err := request.Store(m, at, a.bytes, *v); err != nil {
				return err
			}
		} else {
			loaded, err := request.Load(m, at, a.bytes, through)
			if err != nil {
				return err
			}
			*v = a.extended(loaded)
		}
		at += a.bytes
	}
	return nil
}

// extended is a loaded element in a register.
func (a *address) extended(v uint64) uint64 {
	if a.signed {
		above := 64 - 8*a.bytes
		return uint64(int64(v<<above) >> above)
	}
	return v
}

// loadParam loads of the parameters.
func (w *warp) loadParam(in *instruction, mask uint32) error {
	a, params := &in.address, w.b.params
	base := w.registers[a.base].read()
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		at := base[l] + a.offset
		for _, r := range in.more {
			if size := uint64(len(params)); at%a.bytes != 0 || at >= size || size-at < a.bytes {
				return fmt.Errorf("byte %d of %d of the parameters", at, len(params))
			}
			v := a.extended(simt.Element(params[at:], a.bytes))
			if mask == everyLane && w.registers[a.base].uniform {
				w.registers[r].set(v)
				rest = 1 << l
			} else {
				w.registers[r].lanes(mask)[l] = v
			}
			at += a.bytes
		}
	}
	return nil
}
