package kernels

// ChunkVectors is the number of vectors that MulChunksMulti multiplies with.
const ChunkVectors = 8

// MulChunksMulti is MulChunks of eight vectors, with the same bits: element j of vector v is number 8*j+v of X, and so for
// Dst, B and V.
func (k *Set) MulChunksMulti(c *Chunks, p ChunkProduct) {
	if len(c.Heads) > 0 {
		k.chunksMulti(c, p)
	}
}

// mulChunksMulti is MulChunksMulti in portable Go.
func mulChunksMulti(c *Chunks, p ChunkProduct) {
	if c.Floats != nil {
		mulChunksMultiOf(c, c.Floats, &p)
	} else {
		mulChunksMultiOf(c, c.Ints, &p)
	}
}

func mulChunksMultiOf[T int16 | float32](c *Chunks, values []T, p *ChunkProduct) {
	at := chunkSlots{c.Base, c.Index}
	for k, h := range c.Heads {
		var s [ChunkRows][ChunkVectors]float32
		for kind, slots := range h.kinds() {
			for range slots {
				columns := at.next(kind)
				for l, a := range values[:ChunkRows] {
					sum := &s[l]
					for v, e := range p.X[ChunkVectors*columns[l]:][:ChunkVectors] {
						sum[v] += float32(float32(a) * e)
					}
				}
				values = values[ChunkRows:]
			}
		}
		for l := range s {
			i := k*ChunkRows + l
			for v, sum := range s[l] {
				p.Finish(ChunkVectors*i+v, sum*c.unit(i))
			}
		}
	}
}
