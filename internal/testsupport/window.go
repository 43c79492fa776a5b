package testsupport

import (
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
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
