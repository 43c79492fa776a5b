package kernels

// chunkKernels are the kernels of chunks.
type chunkKernels struct {
	chunks      chunksKernel
	chunksMulti chunksKernel
}

var portableChunks = chunkKernels{
	chunks:      mulChunks,
	chunksMulti: mulChunksMulti,
}

const (
	// ChunkRows is the number of rows of a chunk.
	ChunkRows = 16
	// ChunkWindow is the number of consecutive elements of x among which the columns of a window lie.
	ChunkWindow = 64
)

// A Chunk is ChunkRows rows of a sparse matrix as slots, each of which holds one element of each row, or a zero. The
// kinds of slots differ in how they encode the columns, and come in this order:
type Chunk struct {
	Runs    uint16 // row l has the column Base + l: a plain load of x
	Windows uint16 // Base + a byte below ChunkWindow: a permutation of registers
	Near    uint16 // Base + 16 bits: a gather
	Far     uint16 // 32 bits, without a base
}

// Chunks are consecutive rows of a matrix, whose values are 16-bit integers in units of their row, or float32
// (SELL-C-sigma without sorting, [Kreutzer14], with C = ChunkRows).
type Chunks struct {
	Heads []Chunk
	Base  []int32 // of each slot that is not Far
	Index []byte  // ChunkRows numbers of 1, 2 or 4 bytes for each slot that is not a run

	// ChunkRows values for each slot; one of Ints and Floats is nil.
	Ints   []int16
	Floats []float32

	Units []float32 // of the rows; nil: Unit for all rows
	Unit  float32
}

// ChunkEpilogue is the operation after the product y of a row.
type ChunkEpilogue uint8

// The epilogues.
const (
	ChunkPlain    ChunkEpilogue = iota // dst = y
	ChunkResidual                      // dst = b - y
	ChunkPlus                          // dst = b + y
	ChunkRelax                         // dst = v + omega (b - y)
)

// A ChunkProduct is a product with Chunks, y = A x. Dst, B and V hold the elements of the rows, a whole number of
// chunks; B and V may be nil if the epilogue does not read them, and Dst may be one of them. X must have all elements
// from a base to the end of a window, of a run, or of the columns.
type ChunkProduct struct {
	Epilogue ChunkEpilogue
	Dst, X   []float32
	B, V     []float32
	Omega    float32
}

// MulChunks computes a product. A row adds its products in the order of the slots, each rounded before it is added,
// and multiplies the sum by its unit: all sets give the same bits.
func (k *Set) MulChunks(c *Chunks, p ChunkProduct) {
	if len(c.Heads) > 0 {
		k.chunks(c, p)
	}
}

// chunksKernel is MulChunks for at least one chunk.
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

// kinds returns the numbers of slots of each kind.
func (h *Chunk) kinds() [4]uint16 { return [...]uint16{h.Runs, h.Windows, h.Near, h.Far} }

// chunkSlots is a position among the slots of Chunks.
type chunkSlots struct {
	base  []int32
	index []byte
}

// next returns the columns of the slot, by lanes, and advances to the next slot.
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

// unit returns the unit of row i.
func (c *Chunks) unit(i int) float32 {
	if c.Units != nil {
		return c.Units[i]
	}
	return c.Unit
}

// Finish executes the epilogue for row i.
func (p *ChunkProduct) Finish(i int, y float32) {
	y = float32(y) // rounded, whatever expression it came from
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

// ChunkVectors is the number of vectors that MulChunksMulti multiplies by.
const ChunkVectors = 8

// MulChunksMulti is MulChunks for eight vectors, with the same bits: element j of vector v is number 8*j+v of X, and
// likewise for Dst, B and V.
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
