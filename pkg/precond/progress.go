package precond

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// progress is how much of a stage is done. Several threads may work on it.
type progress struct {
	of    string // what the stage makes
	steps float64
	done  atomic.Int64
	mu    sync.Mutex
	told  int // percent
}

// tell tells Options.Stage how much is done, if that is a percent more than before.
func (p *progress) tell(stage func(text string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := min(99, int(100*float64(p.done.Load())/p.steps)); now > p.told {
		p.told = now
		stage(fmt.Sprintf("%d%% of %s", now, p.of))
	}
}

// Parts of the time that setting up multigrid takes, on meshes in the plane and in space of one to three unknowns a node.
const (
	makingPart    = 0.75 // of all: making the levels, before they are stored; measured 0.7 to 0.85
	connectedPart = 0.2  // of a level: aggregating its nodes; 0.1 to 0.25
	smoothedPart  = 0.5  // of a level: that, and its prolongator; 0.4 to 0.55
	andFollowing  = 1.4  // a level and those that follow, relative to the level; 1.1 to 1.8
)

// tell tells Options.Stage how much is done with that part of the current level. Levels take time in proportion to their nonzeros.
func (h *hierarchy) tell(part float64) {
	done, now := float64(h.nonzeros), float64(h.a.NNZ())
	share := makingPart * (done + part*now) / (done + andFollowing*now)
	h.Stage(fmt.Sprintf("%.0f%%, level %d, %d rows", 100*share, h.level()+1, h.a.Rows))
}
