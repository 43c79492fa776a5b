package batch

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/features"
)

// Judgements are the judgements of solves in lockstep. Each is made by one thread, which is faster for several small systems than
// all threads on one judgement after the other.
type Judgements struct {
	Known *features.KnownParts
	Pool  *parallel.Pool
}

// JudgeVectors is the number of vectors of a judgement.
const JudgeVectors = 4

// Serve implements served.
func (j Judgements) Serve(requests []*Request) {
	if len(requests) < j.Pool.Threads() {
		for _, r := range requests {
			r.Judge(j.Pool)
		}
		return
	}
	j.Pool.Run(len(requests), parallel.Func(func(k int) { requests[k].Judge(nil) }))
}
