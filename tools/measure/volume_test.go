package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// place numbers the nodes of a grid.
type place func(x, y, z int) int

// layoutOf returns the ghosts of the domain of a rank on a grid of nx x ny x nz nodes, and the number of ranks that it gets them from. An
// exchange of all ranks must send as many messages, and as many bytes as the ghosts have.
func (s stencil) layoutOf(t *testing.T, c dist.Comm, d dist.Domains, nx, ny, nz int, number place) (ghosts, links int) {
	p := make([]dist.Rows, 1)
	lo, hi := d.Start[c.Rank()], d.Start[c.Rank()+1]
	rows := make([][]int64, hi-lo)
	for z := range nz {
		for y := range ny {
			for x := range nx {
				i := int64(number(x, y, z) * s.unknowns)
				if i < lo || i >= hi {
					continue
				}
				for k := range s.unknowns {
					rows[i+int64(k)-lo] = s.row(x, y, z, nx, ny, nz, number)
				}
			}
		}
	}
	p[0].RowPtr = []int64{0}
	for _, r := range rows {
		p[0].Col = append(p[0].Col, r...)
		p[0].RowPtr = append(p[0].RowPtr, int64(len(p[0].Col)))
	}
	p[0].Val = make([]float64, len(p[0].Col))
	timed := dist.NewTimed(c)
	m, err := dist.NewMatrix(timed, d, p)
	if err != nil {
		panic(err)
	}
	owners := map[int]bool{}
	for _, row := range m.Parts[0].Ghosts {
		owners[d.Of(row)] = true
	}
	ghosts, links = len(m.Parts[0].Ghosts), len(owners)
	before := timed.Traffic
	m.Halo.Exchange(make([]float64, m.Len))
	sent := timed.Traffic.Minus(before)
	sums := []int64{sent.Messages - int64(links), sent.Bytes - int64(wordBytes*ghosts)}
	if c.Sum(sums); sums[0] != 0 || sums[1] != 0 {
		t.Errorf("all ranks send %d messages and %d bytes more than the ghosts of all need", sums[0], sums[1])
	}
	return ghosts, links
}

// row returns the columns of the rows of a node, ascending.
func (s stencil) row(x, y, z, nx, ny, nz int, number place) (cols []int64) {
	for dz := max(-z, -1); dz <= min(nz-1-z, 1); dz++ {
		for dy := max(-y, -1); dy <= min(ny-1-y, 1); dy++ {
			for dx := max(-x, -1); dx <= min(nx-1-x, 1); dx++ {
				if s.box || dx*dx+dy*dy+dz*dz <= 1 {
					for k := range s.unknowns {
						cols = append(cols, int64(number(x+dx, y+dy, z+dz)*s.unknowns+k))
					}
				}
			}
		}
	}
	slices.Sort(cols)
	return cols
}

// The ghosts and neighbours of 2 to 8 ranks agree with the model, for grids numbered plane by plane, also where
// domains are smaller than a plane.
func TestSlabsOfConcurrentRanks(t *testing.T) {
	for _, s := range stencils {
		for _, size := range []int{2, 3, 4, 8} {
			for _, planes := range []int{2 * size, size / 2, 3} {
				const g = 12
				nodes := g * g * planes / size
				if planes == 0 || nodes*size != g*g*planes {
					continue
				}
				t.Run(fmt.Sprintf("%s on %d ranks, %d planes", s.name, size, planes), func(t *testing.T) {
					d := dist.Domains{Start: make([]int64, size+1)}
					for k := range size {
						d.Start[k+1] = int64((k + 1) * nodes * s.unknowns)
					}
					dist.Run(size, func(c dist.Comm) {
						ghosts, links := s.layoutOf(t, c, d, g, g, planes, func(x, y, z int) int { return x + g*(y+g*z) })
						want := s.slab(c.Rank()*nodes, (c.Rank()+1)*nodes, g, planes)
						if ghosts != want.elements || links != want.messages {
							t.Errorf("rank %d: %d ghosts from %d ranks, the model has %d from %d", c.Rank(), ghosts, links, want.elements, want.messages)
						}
					})
				})
			}
		}
	}
}

// The ghosts and neighbours of the middle one of 27 bricks, numbered brick by brick, agree with the model as well.
func TestBricksOfConcurrentRanks(t *testing.T) {
	for _, s := range stencils {
		const a, b, c = 3, 4, 5
		d := dist.Domains{Start: make([]int64, 28)}
		for k := range 27 {
			d.Start[k+1] = int64((k + 1) * a * b * c * s.unknowns)
		}
		number := func(x, y, z int) int {
			brick := x/a + 3*(y/b+3*(z/c))
			return brick*a*b*c + x%a + a*(y%b+b*(z%c))
		}
		dist.Run(27, func(comm dist.Comm) {
			ghosts, links := s.layoutOf(t, comm, d, 3*a, 3*b, 3*c, number)
			if want := s.brick(a, b, c); comm.Rank() == 13 && (ghosts != want.elements || links != want.messages) {
				t.Errorf("%s: %d ghosts from %d ranks, the model has %d from %d", s.name, ghosts, links, want.elements, want.messages)
			}
		})
	}
}
