package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/mpsolve/mpsolve/internal/host"
)

// A profile is what a rank tells the others about itself.
type profile struct {
	Args       []string
	Program    string
	Build      string // see host.BuildID: two builds of a version may be of different sources
	Node       string // name of the node, whose processors its processes share
	Processors []int  // processors that this process may run on; empty: not known
	Allowed    int    // number of processors that its launcher may run on; 0: not known
	Threads    int    // number of threads that Go uses by default
}

// compare collects the profiles of all ranks. Programs and arguments must be the same. Collective.
func (j *job) compare(args []string, did, as string) error {
	here := host.Here("", Version)
	own, err := json.Marshal(profile{
		Args: args, Program: strings.TrimSpace(here.Version + " " + here.Commit), Build: host.BuildID(),
		Node: host.Node(), Processors: host.Affinity(0), Allowed: len(host.Affinity(os.Getppid())), Threads: here.Cores,
	})
	if err != nil {
		return err
	}
	j.ranks = nil
	for _, text := range j.comm.Gather(own) {
		var p profile
		if err := json.Unmarshal(text, &p); err != nil {
			return usage("the ranks run different programs")
		}
		j.ranks = append(j.ranks, p)
	}
	for r, p := range j.ranks {
		switch first := j.ranks[0]; {
		case p.Program != first.Program:
			return usage("rank %d is mpsolve %s, rank 0 mpsolve %s; all ranks need the same program", r, p.Program, first.Program)
		case p.Build != first.Build:
			return usage("rank %d is another build of mpsolve %s than rank 0; all ranks need the same program", r, p.Program)
		case !slices.Equal(p.Args, first.Args):
			return usage("rank %d %s %s %s, rank 0 %s %s; all ranks need the same arguments", r, did, as, strings.Join(p.Args, " "), as, strings.Join(first.Args, " "))
		}
	}
	return nil
}

// onNode returns the index of this rank among the ranks of its node, from 0.
func (j *job) onNode() (n int) {
	for _, p := range j.ranks[:min(j.rank(), len(j.ranks))] {
		if p.Node == j.ranks[j.rank()].Node {
			n++
		}
	}
	return n
}

// share limits each rank to its share of the processors of the node, unless GOMAXPROCS sets the number.
func (j *job) share() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsOf(j.ranks, j.rank()))
	}
}

// threadsOf returns the number of threads of a rank: a processor that k ranks may run on counts 1/k. If the time of the
// processors is limited, as in containers, the ranks of a node share the limit equally.
func threadsOf(ranks []profile, rank int) int {
	own := ranks[rank]
	sharing, onNode := map[int]int{}, 0
	for _, p := range ranks {
		if p.Node != own.Node {
			continue
		}
		onNode++
		for _, c := range p.Processors {
			sharing[c]++
		}
	}
	share := float64(own.Threads) / float64(onNode)
	if own.Threads == len(own.Processors) { // only the binding limits the threads
		share = 0
		for _, c := range own.Processors {
			share += 1 / float64(sharing[c])
		}
	}
	const rounding = 1e-9
	return max(1, int(share+rounding))
}

// whole lets rank 0, which works while the others wait, use all processors that it may run on, until end is called.
func (j *job) whole() (end func()) {
	if j.rank() > 0 || os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	own := runtime.GOMAXPROCS(j.ranks[0].Threads)
	return func() { runtime.GOMAXPROCS(own) }
}

// nodes returns the number of nodes that the ranks run on.
func (j *job) nodes() int {
	names := map[string]bool{}
	for _, p := range j.ranks {
		names[p.Node] = true
	}
	return len(names)
}

// processors says how many threads the ranks on this node have, and how to get more.
func (j *job) processors() string {
	own, here := j.ranks[j.rank()], 0
	bound := map[int]bool{}
	for _, p := range j.ranks {
		if p.Node == own.Node {
			here++
			for _, c := range p.Processors {
				bound[c] = true
			}
		}
	}
	text := fmt.Sprintf("%s on this node, %s each", english.Plural(here, "rank", ""), english.Plural(threadsOf(j.ranks, j.rank()), "thread", ""))
	if len(bound) > 0 && len(bound) < own.Allowed {
		text += fmt.Sprintf("; they are bound to %d of %d processors: mpirun --bind-to none, or --map-by socket:PE=N, leaves them more", len(bound), own.Allowed)
	}
	return text
}
