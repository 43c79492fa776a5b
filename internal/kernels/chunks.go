package kernels

const (
	// ChunkRows is the number of rows of a chunk.
	ChunkRows = 16
	// ChunkWindow is the number of elements of x that the columns of a window are among.
	ChunkWindow = 64
)

// A Chunk is ChunkRows rows of a sparse matrix as slots, each of which holds one element of
// each row, or a zero. Slots differ in how they tell the columns, and come in this order:
type Chunk struct {
	Runs    uint16 // row l has the column Base + l: a plain load of x
	Windows uint16 // Base + a byte below ChunkWindow: a permutation of registers
	Near    uint16 // Base + 16 bits: a gather
	Far     uint16 // 32 bits, without a base
}

// Chunks are consecutive rows of a matrix, whose values are 16-bit integers in units of their
// row, or float32 (SELL-C-sigma without sorting, [Kreutzer14], with C = ChunkRows).
type Chunks struct {
	Heads []Chunk
	Base  []int32 // of each slot that is not Far
	Index []byte  // ChunkRows numbers of 1, 2 or 4 bytes for each slot that is not a run

	// ChunkRows for each slot; one of the two is nil.
	Ints   []int16
	Floats []float32

	Units []float32 // of the rows; nil: Unit for all
	Unit  float32
}

// ChunkEpilogue names what follows the product y of a row.
type ChunkEpilogue uint8

// The epilogues.
const (
	ChunkPlain    ChunkEpilogue = iota // dst = y
	ChunkResidual                      // dst = b - y
	ChunkPlus                          // dst = b + y
	ChunkRelax                         // dst = v + omega (b - y)
)

// A ChunkProduct is a product with Chunks, y = A x. Dst, B and V are the elements of the
// rows, a whole number of chunks; B and V may be nil where the epilogue does not read them,
// and Dst may be one of them. All elements of X from a base on to the end of a window, a run
// or to the columns must exist.
type ChunkProduct struct {
	Epilogue ChunkEpilogue
	Dst, X   []float32
	B, V     []float32
	Omega    float32
}

// MulChunks computes a product. A row adds its products in the order of the slots, each
// rounded before it is added, and multiplies the sum by its unit: all sets give the same bits.
func (k *Set) MulChunks(c *Chunks, p ChunkProduct) {
	if len(c.Heads) > 0 {
		k.chunks(c, p)
	}
}

// chunksKernel is MulChunks for one chunk at least.
type chunksKernel = func(c *Chunks, p ChunkProduct)

// mulChunks is MulChunks in portable Go.
func mulChunks(c *Chunks, p ChunkProduct) {
	if c.Floats != nil {
		mulChunksOf(c, c.Floats, &p)
	} else {
		mulChunksOf(c, c.Ints, &p)
	}
}

func mulChunksOf[T int16 | float32](c *Chunks, values []T, p *ChunkProduct) {
	at := chunkSlots{c.Base, c.Index}
	for k, h := range c.Heads {
		var s [ChunkRows]float32
		for kind, slots := range h.kinds() {
			for range slots {
				columns := at.next(kind)
				for l, v := range values[:ChunkRows] {
					s[l] += float32(float32(v) * p.X[columns[l]])
				}
				values = values[ChunkRows:]
			}
		}
		for l := range s {
			i := k*ChunkRows + l
			p.Finish(i, s[l]*c.unit(i))
		}
	}
}

// kinds are the numbers of slots of each kind.
func (h *Chunk) kinds() [4]uint16 { return [...]uint16{h.Runs, h.Windows, h.Near, h.Far} }

// chunkSlots is a place among the slots of Chunks.
type chunkSlots struct {
	base  []int32
	index []byte
}

// next returns the columns of the slot, by lanes, and goes on to the one behind it.
func (s *chunkSlots) next(kind int) (columns [ChunkRows]int) {
	first, size := 0, [...]int{0, 1, 2, 4}[kind]
	if size < 4 {
		first, s.base = int(s.base[0]), s.base[1:]
	}
	for l := range columns {
		if size == 0 {
			columns[l] = first + l
			continue
		}
		columns[l] = first
		for k, b := range s.index[size*l:][:size] {
			columns[l] += int(b) << (8 * k)
		}
	}
	s.index = s.index[ChunkRows*size:]
	return columns
}

// unit is that of row i.
func (c *Chunks) unit(i int) float32 {
	if c.Units != nil {
		return c.Units[i]
	}
	return c.Unit
}

// Finish is the epilogue of row i.
func (p *ChunkProduct) Finish(i int, y float32) {
	y = float32(y) // rounded, whatever it is made of
	switch p.Epilogue {
	case ChunkPlain:
		p.Dst[i] = y
	case ChunkResidual:
		p.Dst[i] = p.B[i] - y
	case ChunkPlus:
		p.Dst[i] = p.B[i] + y
	case ChunkRelax:
		p.Dst[i] = p.V[i] + float32(p.Omega*(p.B[i]-y))
	}
}

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
