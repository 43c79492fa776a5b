package gcnemu

import (
	"math/bits"

	"github.com/mpsolve/mpsolve/internal/simt"
)

// access loads or stores vector registers, for the lanes of a mask.
func (w *wave) access(in *instruction, mask uint64) error {
	m := &in.memory
	lo, hi := w.operand(&in.from[0], 0)
	var base uint64
	if m.base.words > 0 {
		base = w.value(&m.base)
	}
	registers := w.v[in.to.at:]
	request := w.b.d.Request(&w.b.Block, m.shared)
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		request.By(w.first+l, false)
		address := base + (uint64(lo[l]) | uint64(hi[l])<<32) // before registers change: it may be in them
		for _, p := range m.pieces {
			if err := m.move(&request, p, address, registers[p.register:], l); err != nil {
				return err
			}
		}
	}
	if !m.shared {
		w.b.counts.Requested(w.pc, &request)
	}
	return nil
}

// move loads or stores a piece, in registers of a lane.
func (m *memory) move(request *simt.Request, p piece, address uint64, r []register, l int) error {
	place, at, err := request.At(address+p.offset, p.bytes, min(p.bytes, 4))
	if err != nil {
		return err
	}
	if m.store {
		v := uint64(r[0][l])
		if p.bytes == 8 {
			v |= uint64(r[1][l]) << 32
		}
		return request.Store(place, at, p.bytes, v)
	}
	v, err := request.Load(place, at, p.bytes, simt.Coherent)
	if err != nil {
		return err
	}
	r[0][l] = m.extended(v, p.bytes)
	if p.bytes == 8 {
		r[1][l] = uint32(v >> 32)
	}
	return nil
}

// extended is a loaded element in a register.
func (m *memory) extended(v, bytes uint64) uint32 {
	if m.signed {
		above := 32 - 8*bytes
		return uint32(int32(uint32(v)<<above) >> above)
	}
	return uint32(v)
}

// loadScalar loads scalar registers, for all lanes of the mask.
func (w *wave) loadScalar(in *instruction, mask uint64) error {
	m := &in.memory
	address := w.value(&m.base) + w.value(&in.from[0])
	request := w.b.d.Request(&w.b.Block, false)
	request.By(w.first+bits.TrailingZeros64(mask)%mostLanes, mask&(mask-1) != 0)
	for _, p := range m.pieces {
		place, at, err := request.At(address+p.offset, p.bytes, 4)
		if err != nil {
			return err
		}
		v, err := request.Load(place, at, p.bytes, simt.Scalar)
		if err != nil {
			return err
		}
		w.write(in.to.at+p.register, int(p.bytes/4), v)
	}
	return nil
}
