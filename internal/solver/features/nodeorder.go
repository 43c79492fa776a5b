package features

import (
	"slices"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

const (
	leastNodes  = 300 // below this an order is not worth looking for
	largestNode = 6   // unknowns
	nodeSample  = 100 // rows
)

// NodeOrder returns the order in which the unknowns of each node are side by side, and their number, if m has nodes of several unknowns
// that are numbered apart: part by part, such as all displacements along x before those along y, or in any way. Nodes keep the order of
// their first unknowns. The permutation is nil if the unknowns are side by side already, or no nodes are found.
func NodeOrder(m *csr.Matrix, pool *parallel.Pool) (size int, p csr.Permutation) {
	if m.Rows < leastNodes || precond.BlockSize(m) > 1 {
		return 1, nil
	}
	if size = precond.PartCount(m); size > 1 {
		nodes := m.Rows / size
		p = make(csr.Permutation, 0, m.Rows)
		for v := range nodes {
			for part := range size {
				p = append(p, int32(part*nodes+v))
			}
		}
		return size, p
	}
	if size = alike(m); size > 1 {
		p = sideBySide(m, size, pool)
	}
	return size, p
}

// alike returns how many unknowns, each a neighbour of the others, have the same neighbours, if that is the same number for all rows of
// a sample, else 1.
func alike(m *csr.Matrix) (size int) {
	for i := 0; i < m.Rows; i += (m.Rows-1)/nodeSample + 1 {
		cols, _ := m.Row(i)
		count := 0
		for _, j := range cols {
			if other, _ := m.Row(int(j)); slices.Equal(other, cols) {
				count++
			}
		}
		if count < 2 || count > largestNode || size > 0 && count != size {
			return 1
		}
		size = count
	}
	return size
}

// sideBySide returns the order of nodes of so many unknowns with the same neighbours, or nil if there are others.
func sideBySide(m *csr.Matrix, size int, pool *parallel.Pool) csr.Permutation {
	hashes := make([]uint64, m.Rows)
	pool.RunRanges(csr.Panels(m), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, _ := m.Row(i)
			for _, j := range cols {
				hashes[i] = (hashes[i] ^ uint64(j)) * 0x9e3779b97f4a7c15
				hashes[i] ^= hashes[i] >> 29
			}
		}
	})
	p, placed := make(csr.Permutation, 0, m.Rows), make([]bool, m.Rows)
	for i := range m.Rows {
		if placed[i] {
			continue
		}
		cols, _ := m.Row(i)
		first := len(p)
		for _, j := range cols {
			if int(j) < i || placed[j] || hashes[j] != hashes[i] {
				continue
			}
			if other, _ := m.Row(int(j)); slices.Equal(other, cols) {
				p, placed[j] = append(p, j), true
			}
		}
		if len(p) != first+size {
			return nil
		}
	}
	return p
}
