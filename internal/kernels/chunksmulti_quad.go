//go:build !purego && (amd64 || arm64)

package kernels

import "unsafe"

// chunkMultiCall is struct chunk_multi_call of c/chunksmulti.c.
type chunkMultiCall struct {
	heads    *Chunk
	count    int
	base     *int32
	index    *byte
	values   unsafe.Pointer
	units    *float32
	unit     float32
	omega    float32
	dst      *float32
	x, b, v  *float32
	epilogue int
}

func mulChunksMultiQuad(c *Chunks, p ChunkProduct) {
	call := chunkMultiCall{
		heads: &c.Heads[0], count: len(c.Heads), base: first(c.Base), index: first(c.Index),
		units: first(c.Units), unit: c.Unit, omega: p.Omega,
		dst: &p.Dst[0], x: first(p.X), b: first(p.B), v: first(p.V), epilogue: int(p.Epilogue),
	}
	if c.Floats != nil {
		call.values = unsafe.Pointer(first(c.Floats))
		chunksFloatMultiQuad(&call)
	} else {
		call.values = unsafe.Pointer(first(c.Ints))
		chunksIntMultiQuad(&call)
	}
}
