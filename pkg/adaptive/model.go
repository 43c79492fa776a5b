package adaptive

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/klauspost/cpuid/v2"
	"github.com/mpsolve/mpsolve/internal/kernels"
)

// The layout is chosen by a model of the time of a product on one core, of what the
// instructions take and of what the memory takes for the bytes:
//
//	hypot(instructions, bytes / rate).
//
// A sample of the rows is stored in slots of every kind that could pay, the work of a product
// with it is counted, and a Model says how long a piece of each kind of work takes.

// work is a kind of work of a product.
type work int

const (
	gatherWork    work = iota // a slot with columns
	diagonalWork              // a slot of a diagonal
	blockWork                 // a slot of blocks
	valueWork                 // and eight values of it
	sliceWork                 // a slice of rows, for each row of its blocks
	farWork                   // a slot with 24-bit columns
	tileSlotWork              // eight elements of a tile
	tileWork                  // a slice of rows of a tile
	scatterWork               // a slot added to eight columns, up to four elements of each
	transposeWork             // eight values of a block, multiplied with once more
	sumWork                   // eight bytes of the sums of a part of a symmetric matrix
	csrRowWork                // FP64 CSR: a row
	csrTurnWork               // a row of more or fewer fours of elements than the row before, which no processor foresees
	csrWork                   // and an element
	chunkWork                 // SELL8: eight rows
	chunkSlotWork             // and a slot of them
	blockRowWork              // BCRS4x1: four rows
	rowBlockWork              // and a block of them
	firstMissWork             // an element of x that is not in the first-level cache, nor just behind one
	plainMissWork             // the same of a layout in FP64, whose numbers need the caches more
	missWork                  // one that is not in the core's cache either
	farMissWork               // one of a slot with 24-bit columns
	works
)

// workNames are those in files, in the order of the constants.
var workNames = [works]string{
	"slot", "diagonal slot", "block slot", "block value", "slice row", "far slot", "tile slot", "tile slice", "scatter", "transposed value",
	"sum", "CSR row", "CSR row of another length", "CSR element", "SELL-8 chunk", "SELL-8 slot", "BCRS block row", "BCRS block", "first-level miss", "first-level miss in FP64", "cache miss", "far cache miss",
}

const (
	worthwhile  = 0.95 // of the time of FP64 CSR that another layout may take
	distinct    = 0.97 // of the time of a simpler kind of layout
	leastFill   = 0.6  // of the places of blocks that hold an element
	vectorBytes = 24   // x and y, and y once more since it is read before it is written
)

// A Model has the times of the work of a product on one core of a processor with a set of kernels. The choice of a layout depends on it, and so do the bits of products, on nothing else
// of the processor: models are tables, or measured once, and then kept; see ModelOf and Calibrate.
type Model struct {
	Name    string // of the processor, and how the model came about
	Kernels string // name of their set

	times [works]float64 // ns for a piece of work

	Rates Rates
	Sizes Sizes
}

// Rates are bytes per ns that one core reads.
type Rates struct {
	Memory float64 // of memory
	Cache  float64 // of the cache that cores share
}

// Sizes are the bytes that fit in a cache.
type Sizes struct {
	Near   int64 // the cache of the core
	Shared int64 // the cache of all cores, as far as one core may use it
}

// cacheLine is the bytes that memory delivers at once.
const cacheLine = 64

// firstLines is how many lines of x the first-level cache is taken to hold: two thirds of 48 KiB, or all of 32.
const firstLines = 512

// cacheLines is how many lines of x the core's own cache is taken to hold: half of it.
func (m *Model) cacheLines() int { return int(m.Sizes.Near / 2 / cacheLine) }

// cost is the work of a product, and the bytes that it touches.
type cost struct {
	work  [works]float64
	bytes float64
}

func (c *cost) add(o cost) {
	for k, w := range o.work {
		c.work[k] += w
	}
	c.bytes += o.bytes
}

func (c *cost) scale(factor float64) {
	for k := range c.work {
		c.work[k] *= factor
	}
	c.bytes *= factor
}

// instructions is the time in ns that the work takes where all is in the core's own cache.
func (m *Model) instructions(c cost) (ns float64) {
	for k, w := range c.work {
		ns += w * m.times[k]
	}
	return ns
}

// rate returns the rate of the level of memory that holds so many bytes.
func (m *Model) rate(footprint float64) float64 {
	switch {
	case footprint <= float64(m.Sizes.Near):
		return math.Inf(1)
	case footprint <= float64(m.Sizes.Shared):
		return m.Rates.Cache
	}
	return m.Rates.Memory
}

// time is in ns; footprint is the bytes of all that the product touches.
func (m *Model) time(c cost, footprint float64) float64 {
	return math.Hypot(m.instructions(c), c.bytes/m.rate(footprint))
}

// panelCost is the cost of a product with the panel that was built last.
func (s *slotBuilder) panelCost(rows int) (c cost) {
	p := &s.out
	c.bytes = float64(panelSize(p) + vectorBytes*rows)
	for _, v := range s.streams {
		c.bytes += float64(len(v))
	}
	b := float64(max(p.Block, 1))
	for _, g := range p.Groups {
		slots := float64(g.Slots)
		switch {
		case s.lower:
			c.addLower(g, b)
			continue
		case g.Flags&kernels.Diagonal != 0:
			c.work[diagonalWork] += slots
		case p.Block > 1:
			c.work[blockWork] += slots
			c.work[valueWork] += b * b * slots
		case p.Far:
			c.work[farWork] += slots
		default:
			c.work[gatherWork] += slots
		}
		if g.Flags&kernels.Last != 0 {
			c.work[sliceWork] += b
		}
	}
	return c
}

// A Constant is one of the numbers of a Model.
type Constant struct {
	Name, Unit string
	Value      float64
}

// Constants lists the numbers of a model.
func (m *Model) Constants() (list []Constant) {
	for k, t := range m.times {
		list = append(list, Constant{workNames[k], "ns", t})
	}
	return append(list,
		Constant{"memory", "bytes per ns", m.Rates.Memory}, Constant{"shared cache", "bytes per ns", m.Rates.Cache},
		Constant{"a core's cache", "KiB", float64(m.Sizes.Near) / 1024}, Constant{"shared cache", "KiB", float64(m.Sizes.Shared) / 1024})
}

// modelFile is a Model in JSON.
type modelFile struct {
	Name    string             `json:"name"`
	Kernels string             `json:"kernels"`
	Times   map[string]float64 `json:"ns"`
	Rates   struct {
		Memory float64 `json:"memory"`
		Cache  float64 `json:"cache"`
	} `json:"bytes_per_ns"`
	Sizes struct {
		Near   int64 `json:"core"`
		Shared int64 `json:"shared"`
	} `json:"cache_bytes"`
}

// MarshalJSON writes the model; the times are called by the kinds of work.
func (m *Model) MarshalJSON() ([]byte, error) {
	f := modelFile{Name: m.Name, Kernels: m.Kernels, Times: map[string]float64{}}
	for k, t := range m.times {
		f.Times[workNames[k]] = t
	}
	f.Rates.Memory, f.Rates.Cache = m.Rates.Memory, m.Rates.Cache
	f.Sizes.Near, f.Sizes.Shared = m.Sizes.Near, m.Sizes.Shared
	return json.Marshal(f)
}

// UnmarshalJSON reads a model. It is an error if a time, a rate or a size is missing or not
// positive.
func (m *Model) UnmarshalJSON(data []byte) error {
	var f modelFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*m = Model{Name: f.Name, Kernels: f.Kernels, Rates: Rates{f.Rates.Memory, f.Rates.Cache}, Sizes: Sizes{f.Sizes.Near, f.Sizes.Shared}}
	for k, name := range workNames {
		if m.times[k] = f.Times[name]; !(m.times[k] > 0) {
			return fmt.Errorf("adaptive: the model has no time of %q", name)
		}
	}
	if !(m.Rates.Memory > 0 && m.Rates.Cache > 0 && m.Sizes.Near > 0 && m.Sizes.Shared >= m.Sizes.Near) {
		return errors.New("adaptive: the rates and cache sizes of the model are not positive")
	}
	return nil
}

// processors has the models of known processors by their kernels, the first that fits serves.
// docs/storage.md says how they were measured.
var processors = []struct {
	vendor cpuid.Vendor // VendorUnknown: any
	family int          // that was measured, by its number; 0: the times are not those of this processor
	Model
}{
	{cpuid.AMD, 0x1a, Model{
		Name: "Zen 5, avx512", Kernels: "avx512",
		times: [works]float64{
			gatherWork: 2.7, diagonalWork: 1.2, blockWork: 2.4, valueWork: 0.41, sliceWork: 2.5, farWork: 2.7,
			tileSlotWork: 2.5, tileWork: 4.1, scatterWork: 2.4, transposeWork: 0.082, sumWork: 0.17,
			csrRowWork: 0.88, csrTurnWork: 1.1, csrWork: 0.19,
			chunkWork: 1.2, chunkSlotWork: 1.5, blockRowWork: 0.63, rowBlockWork: 0.41,
			firstMissWork: 0.1, plainMissWork: 0.29, missWork: 0.2, farMissWork: 0.13,
		},
		Rates: Rates{Memory: 40, Cache: 120}, Sizes: Sizes{Near: 1 << 20, Shared: 24 << 20},
	}},
	{cpuid.VendorUnknown, 0x1a, Model{
		Name: "Zen 5, avx2", Kernels: "avx2",
		times: [works]float64{
			gatherWork: 2.9, diagonalWork: 1.7, blockWork: 0.91, valueWork: 1.1, sliceWork: 2.4, farWork: 3.2,
			tileSlotWork: 14, tileWork: 10, scatterWork: 4, transposeWork: 0.21, sumWork: 0.51,
			csrRowWork: 0.91, csrTurnWork: 1.1, csrWork: 0.19,
			chunkWork: 1.2, chunkSlotWork: 1.6, blockRowWork: 0.7, rowBlockWork: 0.41,
			firstMissWork: 0.096, plainMissWork: 0.31, missWork: 0.19, farMissWork: 0.15,
		},
		Rates: Rates{Memory: 40, Cache: 120}, Sizes: Sizes{Near: 1 << 20, Shared: 24 << 20},
	}},
	// Not measured: the times with AVX2 by the counts of instructions for NEON, which are up to 1.35
	// times those for AVX2 (bench/instructions.sh).
	{cpuid.VendorUnknown, 0, Model{
		Name: "arm64, by counts of instructions", Kernels: "neon",
		times: [works]float64{
			gatherWork: 3.9, diagonalWork: 2.3, blockWork: 1.2, valueWork: 1.5, sliceWork: 3.2, farWork: 4.3,
			tileSlotWork: 19, tileWork: 14, scatterWork: 5.4, transposeWork: 0.28, sumWork: 0.69,
			csrRowWork: 0.91, csrTurnWork: 1.1, csrWork: 0.19,
			chunkWork: 1.6, chunkSlotWork: 2.1, blockRowWork: 0.9, rowBlockWork: 0.55,
			firstMissWork: 0.096, plainMissWork: 0.31, missWork: 0.19, farMissWork: 0.15,
		},
		Rates: Rates{Memory: 20, Cache: 60}, Sizes: Sizes{Near: 1 << 20, Shared: 24 << 20},
	}},
	{cpuid.VendorUnknown, 0, Model{
		Name: "Sapphire Rapids, avx512", Kernels: "avx512",
		times: [works]float64{
			gatherWork: 3.1, diagonalWork: 2.0, blockWork: 5.1, valueWork: 0.8, sliceWork: 2.9, farWork: 4.5,
			tileSlotWork: 3.57, tileWork: 5.2, scatterWork: 4.5, transposeWork: 0.27, sumWork: 0.333,
			csrRowWork: 1.64, csrTurnWork: 1.1, csrWork: 0.24,
			chunkWork: 1.5, chunkSlotWork: 1.8, blockRowWork: 0.8, rowBlockWork: 0.5, // as on Zen 5, not measured
			firstMissWork: 0.1, plainMissWork: 0.29, missWork: 3.0, farMissWork: 3.0,
		},
		Rates: Rates{Memory: 17, Cache: 40}, Sizes: Sizes{Near: 2 << 20, Shared: 24 << 20},
	}},
}

// Models returns the models of known processors.
func Models() (list []*Model) {
	for k := range processors {
		list = append(list, &processors[k].Model)
	}
	return list
}

// ModelOf returns the model of this processor with the kernels of that name, or of the nearest known
// processor; "" stands for the default kernels.
func ModelOf(name string) *Model {
	m, _ := LookupModel(name)
	return m
}

// LookupModel is ModelOf; known reports whether the model was measured on a processor like this one.
func LookupModel(name string) (m *Model, known bool) {
	if name == "" {
		name = kernels.Default().String()
	}
	for i := range processors {
		if p := &processors[i]; p.Kernels == name && (p.vendor == cpuid.VendorUnknown || p.vendor == cpuid.CPU.VendorID) {
			return &p.Model, p.family == cpuid.CPU.Family && cpuid.CPU.VendorID == cpuid.AMD
		}
	}
	return &processors[len(processors)-1].Model, false
}
