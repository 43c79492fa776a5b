package testsupport

import (
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// RunSome runs what on some ranks of a job of so many, each a goroutine of this process, and returns when all have returned. The other
// ranks are absent: their rows must have nothing to do with those of the present ranks, sums are as if they added zeros, and what is
// gathered as if they sent what idle, unless it is nil, makes of the message of the first rank that is present.
func RunSome(ranks int, present []int, idle func(first []byte) []byte, what func(c dist.Comm)) {
	dist.Run(len(present), func(c dist.Comm) { what(&some{c, ranks, present, idle}) })
}

// some is a rank among those that are present.
type some struct {
	dist.Comm
	size    int
	present []int // ascending
	idle    func(first []byte) []byte
}

func (s *some) Rank() int { return s.present[s.Comm.Rank()] }
func (s *some) Size() int { return s.size }

// here returns the number of a rank among those that are present.
func (s *some) here(rank int) int {
	k, found := slices.BinarySearch(s.present, rank)
	if !found {
		panic(fmt.Sprintf("rank %d is absent", rank))
	}
	return k
}

// all returns what the present ranks have sent, by rank.
func (s *some) all(from [][]byte) [][]byte {
	all := make([][]byte, s.size)
	for k, b := range from {
		all[s.present[k]] = b
	}
	return all
}

func (s *some) Broadcast(root int, b []byte) { s.Comm.Broadcast(s.here(root), b) }

func (s *some) Gather(b []byte) [][]byte {
	own := s.Comm.Gather(b)
	all := s.all(own)
	for r := range all {
		if _, found := slices.BinarySearch(s.present, r); !found && s.idle != nil {
			all[r] = s.idle(own[0])
		}
	}
	return all
}

func (s *some) Alltoall(to [][]byte) [][]byte {
	messages := make([][]byte, len(s.present))
	for r, b := range to {
		if len(b) > 0 {
			messages[s.here(r)] = b
		}
	}
	return s.all(s.Comm.Alltoall(messages))
}

func (s *some) Connect(send, recv []dist.Channel) dist.Connection {
	place := func(list []dist.Channel) []dist.Channel {
		list = slices.Clone(list)
		for k := range list {
			list[k].Rank = s.here(list[k].Rank)
		}
		return list
	}
	return s.Comm.Connect(place(send), place(recv))
}

// Spaced is a system in three domains whose rows but those of the first domain have larger numbers by Gap: there is a domain of Gap rows
// between, and another behind, which are empty. Ranks 1 and 4 of five would own them, and are absent.
type Spaced struct {
	M      *csr.Matrix
	Starts [4]int64 // of the domains of M
	Gap    int64
	Idle   func(first []byte) []byte // see RunSome
}

// Run runs what on the ranks that are present, or on three ranks without gaps if Gap is 0, each with its rows.
func (s Spaced) Run(what func(c dist.Comm, a *dist.Matrix, first int64, err error)) {
	domain, d := []int{0, 1, 2}, dist.Domains{Start: s.Starts[:]}
	run := func(do func(c dist.Comm)) { dist.Run(3, do) }
	if s.Gap > 0 {
		domain = []int{0, -1, 1, 2}
		d.Start = []int64{0, s.row(s.Starts[1]) - s.Gap}
		for _, row := range []int64{s.Starts[1], s.Starts[2], s.Starts[3] - 1} {
			d.Start = append(d.Start, s.row(row))
		}
		d.Start[4]++
		d.Start = append(d.Start, d.Start[4]+s.Gap)
		run = func(do func(c dist.Comm)) { RunSome(5, []int{0, 2, 3}, s.Idle, do) }
	}
	run(func(c dist.Comm) {
		k := domain[c.Rank()]
		lo, hi := s.M.RowPtr[s.Starts[k]], s.M.RowPtr[s.Starts[k+1]]
		rows := dist.Rows{Col: make([]int64, hi-lo), Val: slices.Clone(s.M.Val[lo:hi])}
		for e := range rows.Col {
			rows.Col[e] = s.row(int64(s.M.Col[lo+int64(e)]))
		}
		for _, at := range s.M.RowPtr[s.Starts[k] : s.Starts[k+1]+1] {
			rows.RowPtr = append(rows.RowPtr, at-lo)
		}
		a, err := dist.NewMatrix(c, d, []dist.Rows{rows})
		what(c, a, s.Starts[k], err)
	})
}

// row is the number of a row of M.
func (s Spaced) row(i int64) int64 {
	if i >= s.Starts[1] {
		return i + s.Gap
	}
	return i
}
