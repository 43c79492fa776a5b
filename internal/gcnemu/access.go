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
	request := w.b.d.Request(&w.b.Block, m.shared)
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		request.By(w.first+l, false)
		address := base + (uint64(lo[l]) | uint64(hi[l])<<32)
		var loaded [8]uint32 // the registers of the address may be the result
		for i, offset := range m.offsets {
			place, at, err := request.At(address+offset, m.bytes, m.bytes)
			if err != nil {
				return err
			}
			r := &w.v[in.to.at+i][l]
			if m.store {
				err = request.Store(place, at, m.bytes, uint64(*r))
			} else {
				var v uint64
				v, err = request.Load(place, at, m.bytes, simt.Coherent)
				loaded[i] = m.extended(v)
			}
			if err != nil {
				return err
			}
		}
		if !m.store {
			for i := range m.offsets {
				w.v[in.to.at+i][l] = loaded[i]
			}
		}
	}
	if !m.shared {
		w.b.counts.Requested(w.pc, &request)
	}
	return nil
}

// extended is a loaded element in a register.
func (m *memory) extended(v uint64) uint32 {
	if m.signed {
		above := 32 - 8*m.bytes
		return uint32(int32(v<<above) >> above)
	}
	return uint32(v)
}

// loadScalar loads scalar registers, for all lanes of the mask.
func (w *wave) loadScalar(in *instruction, mask uint64) error {
	m := &in.memory
	address := w.value(&m.base) + w.value(&in.from[0])
	request := w.b.d.Request(&w.b.Block, false)
	request.By(w.first+bits.TrailingZeros64(mask)%mostLanes, mask&(mask-1) != 0)
	var loaded [8]uint32
	for i, offset := range m.offsets {
		place, at, err := request.At(address+offset, m.bytes, m.bytes)
		if err != nil {
			return err
		}
		v, err := request.Load(place, at, m.bytes, simt.Scalar)
		if err != nil {
			return err
		}
		loaded[i] = uint32(v)
	}
	for i := range m.offsets {
		w.write(in.to.at+i, 1, uint64(loaded[i]))
	}
	return nil
}
