package precond

import (
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const (
	largestNode = 6   // unknowns
	nodeFill    = 0.9 // of the blocks between nodes that nonzeros fill
)

// A sample of nodes has about so many rows, and nonzeros have to fill so much of its blocks.
type sample struct {
	rows int64
	fill float64
}

// samples are examined one after the other: the small ones spare most matrices the large one.
var samples = []sample{{20, nodeFill / 3}, {100, nodeFill / 2}, {1000, nodeFill}}

// BlockSize returns the number of unknowns that the nodes of m have: the largest
// number up to 6, a divisor of n, for which the blocks that hold nonzeros are
// nearly full of them; otherwise 1.
func BlockSize(m *csr.Matrix) int {
	return blockSize(int64(m.Rows), samples, func(size int, step int64) blockFill { return fillOf(m, size, int(step), false) })
}

// PartCount is BlockSize for unknowns that are numbered part by part: unknown a of node k of n is a n + k.
func PartCount(m *csr.Matrix) int {
	return blockSize(int64(m.Rows), samples, func(size int, step int64) blockFill { return fillOf(m, size, int(step), true) })
}

// BlockSizeDistributed returns the BlockSize of a matrix that is spread over ranks, without the smallest sample,
// since each is a sum over all ranks. Collective.
func BlockSizeDistributed(m *dist.Matrix) int {
	return blockSize(m.N, samples[1:], func(size int, step int64) blockFill { return fillOfDistributed(m, int64(size), step) })
}

// blockSize returns the BlockSize; fill counts the blocks of every step-th node.
func blockSize(rows int64, samples []sample, fill func(size int, step int64) blockFill) int {
sizes:
	for size := largestNode; size > 1; size-- {
		if rows%int64(size) != 0 {
			continue
		}
		for _, s := range samples {
			if f := fill(size, (rows-1)/s.rows+1); f.share(size) < s.fill {
				continue sizes
			}
		}
		return size
	}
	return 1
}

// blockFill counts the blocks that hold nonzeros in the rows of a sample of nodes, and these.
type blockFill struct{ blocks, nnz int64 }

func (f blockFill) share(size int) float64 {
	return float64(f.nnz) / float64(max(f.blocks, 1)*int64(size*size))
}

// fillOf counts the blocks of every step-th node, whose unknowns are side by side or numbered part by part.
func fillOf(m *csr.Matrix, size, step int, byParts bool) (f blockFill) {
	nodes := m.Rows / size
	var blocks []int64
	for node := 0; node < nodes; node += step {
		blocks = blocks[:0]
		for a := range size {
			i := node*size + a
			if byParts {
				i = a*nodes + node
			}
			cols, _ := m.Row(i)
			f.nnz += int64(len(cols))
			last := int64(-1)
			for _, j := range cols {
				block := int64(int(j) / size)
				if byParts {
					block = int64(int(j) % nodes)
				}
				if block != last {
					blocks, last = append(blocks, block), block
				}
			}
		}
		f.add(blocks)
	}
	return f
}

// fillOfDistributed is fillOf: nodes that a border of domains cuts are seen by all ranks, the others by the ones that have them.
func fillOfDistributed(m *dist.Matrix, size, step int64) (f blockFill) {
	var blocks []int64
	for _, p := range m.Parts {
		first := (p.Row + size - 1) / size
		for node := (first + step - 1) / step * step; (node+1)*size <= p.Row+int64(p.Own); node += step {
			blocks = blocks[:0]
			for i := range int(size) {
				cols, _ := m.Local.Row(p.First() + int(node*size-p.Row) + i)
				f.nnz += int64(len(cols))
				for _, j := range cols {
					blocks = append(blocks, m.Global(int(j))/size)
				}
			}
			f.add(blocks)
		}
	}
	all := []int64{f.blocks, f.nnz}
	m.Comm.Sum(all)
	f = blockFill{all[0], all[1]}
	var cut []int64 // rows
	for _, border := range m.Domains.Start[1:m.Domains.Count()] {
		node := border / size
		if border%size != 0 && node%step == 0 && (len(cut) == 0 || cut[len(cut)-1] < node*size) {
			for i := range size {
				cut = append(cut, node*size+i)
			}
		}
	}
	for rows := range slices.Chunk(m.Pattern(cut), int(size)) {
		blocks = slices.Concat(rows...)
		f.nnz += int64(len(blocks))
		for k, j := range blocks {
			blocks[k] = j / size
		}
		f.add(blocks)
	}
	return f
}

// add adds the blocks of a node, each once or several times, in any order; it sorts them.
func (f *blockFill) add(blocks []int64) {
	slices.Sort(blocks)
	f.blocks += int64(len(slices.Compact(blocks)))
}
