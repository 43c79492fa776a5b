//go:build !purego

package kernels

// chunkCall is the arguments of the assembly.
type chunkCall struct {
	heads    *Chunk
	count    int // of heads, counted down
	base     *int32
	index    *byte
	units    *float32
	unit     float32
	omega    float32
	dst      *float32
	x        *float32
	b        *float32
	v        *float32
	epilogue int
}

func newChunkCall(c *Chunks, p *ChunkProduct) chunkCall {
	return chunkCall{
		heads: &c.Heads[0], count: len(c.Heads), base: first(c.Base), index: first(c.Index),
		units: first(c.Units), unit: c.Unit, omega: p.Omega,
		dst: &p.Dst[0], x: first(p.X), b: first(p.B), v: first(p.V), epilogue: int(p.Epilogue),
	}
}

func mulChunksAVX512(c *Chunks, p ChunkProduct) {
	call := newChunkCall(c, &p)
	if c.Floats != nil {
		chunksFloatAVX512(&call, first(c.Floats))
	} else {
		chunksIntAVX512(&call, first(c.Ints))
	}
}

func mulChunksAVX2(c *Chunks, p ChunkProduct) {
	call := newChunkCall(c, &p)
	if c.Floats != nil {
		chunksFloatAVX2(&call, first(c.Floats))
	} else {
		chunksIntAVX2(&call, first(c.Ints))
	}
}

//go:noescape
func chunksIntAVX512(c *chunkCall, values *int16)

//go:noescape
func chunksFloatAVX512(c *chunkCall, values *float32)

//go:noescape
func chunksIntAVX2(c *chunkCall, values *int16)

//go:noescape
func chunksFloatAVX2(c *chunkCall, values *float32)
