package batch

import (
	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/internal/solver/features"
)

// judgements are those of solves in lockstep, each of which one thread makes: the threads have more of several small systems than of a part of one.
type Judgements struct {
	Known *features.KnownParts
	Pool  *parallel.Pool
}

// JudgeVectors is what a judgement takes, in vectors.
const JudgeVectors = 4

// serve implements served.
func (j Judgements) Serve(requests []*Request) {
	if len(requests) < j.Pool.Threads() {
		for _, r := range requests {
			r.Judge(j.Pool)
		}
		return
	}
	j.Pool.Run(len(requests), parallel.Func(func(k int) { requests[k].Judge(nil) }))
}
