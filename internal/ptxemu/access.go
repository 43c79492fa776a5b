package ptxemu

import (
	"fmt"
	"math/bits"
)

// access loads or stores, for the threads of a mask.
func (w *warp) access(in *instruction, pc int, mask uint32) error {
	d, a := w.b.d, &in.address
	u := user{era: d.era, phase: w.b.phase}
	same := in.kind == load && mask == everyLane && w.registers[a.base].uniform
	base, n := w.registers[a.base].read(), a.bytes*uint64(a.elements)
	for _, r := range in.more {
		if in.kind == load {
			w.registers[r].lanes(mask)
		} else {
			w.registers[r].read()
		}
	}
	var sectors, first uint64
	d.request++
	m := w.b.shared
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		address := base[l] + a.offset
		if a.global && (m == w.b.shared || !m.has(address, 1)) {
			m = d.find(address)
		}
		u.thread = w.b.number<<placeBits | uint32(w.first+l)
		if same {
			u.thread |= severalPlaces
		}
		switch {
		case m == nil || !m.has(address, n):
			if m == nil {
				m = d.below(address)
			}
			return fmt.Errorf("thread %s: %s is outside of %s", threadName(u.thread), place(m, address), container(a))
		case address%n != 0:
			return fmt.Errorf("thread %s: %s is not aligned to %d bytes", threadName(u.thread), place(m, address), n)
		}
		at := address - m.base
		if a.global {
			s, f := m.touch(at, n, d.request, d.era)
			sectors, first = sectors+s, first+f
		}
		if err := w.elements(in, l, m, at, u); err != nil {
			return fmt.Errorf("thread %s %w, %s", threadName(u.thread), err, place(m, address))
		}
		if same {
			for _, r := range in.more {
				w.registers[r].set(w.registers[r].v[l])
			}
			break
		}
	}
	if a.global {
		w.b.counts.touched(pc, sectors, first)
	}
	return nil
}

// elements moves what one thread loads or stores.
func (w *warp) elements(in *instruction, l int, m *memory, at uint64, u user) error {
	a := &in.address
	for _, r := range in.more {
		words := m.words[at/grain : (at+a.bytes+grain-1)/grain]
		if in.kind == load {
			for i := range words {
				if err := words[i].load(u, a.constant); err != nil {
					return err
				}
			}
			w.registers[r].v[l] = m.get(at, a)
		} else {
			changed := m.put(at, w.registers[r].v[l], a.bytes)
			for i := range words {
				if err := words[i].store(u, changed); err != nil {
					return err
				}
			}
		}
		at += a.bytes
	}
	return nil
}

// loadParam loads of the parameters.
func (w *warp) loadParam(in *instruction, mask uint32) error {
	a := &in.address
	base := w.registers[a.base].read()
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		at := base[l] + a.offset
		for _, r := range in.more {
			if !w.b.params.has(at, a.bytes) || at%a.bytes != 0 {
				return fmt.Errorf("byte %d of %d of the parameters", at, len(w.b.params.bytes))
			}
			v := w.b.params.get(at, a)
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

// place describes an address.
func place(m *memory, address uint64) string {
	if m == nil {
		return fmt.Sprintf("address %#x", address)
	}
	return fmt.Sprintf("byte %d of %d", address-m.base, len(m.bytes))
}

func container(a *address) string {
	if a.global {
		return "all buffers"
	}
	return "shared memory"
}
