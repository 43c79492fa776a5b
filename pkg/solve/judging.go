package solve

import (
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/pkg/verify"
)

// judgements are those of solves in lockstep, each of which one thread makes: the threads have more of several small systems than of a part of one.
type judgements struct {
	known *knownParts
	pool  *parallel.Pool
}

// judgeVectors is what a judgement takes, in vectors.
const judgeVectors = 4

// serve implements served.
func (j judgements) serve(requests []*request) {
	if len(requests) < j.pool.Threads() {
		for _, r := range requests {
			r.judge(j.pool)
		}
		return
	}
	j.pool.Run(len(requests), parallel.Func(func(k int) { requests[k].judge(nil) }))
}

// judgeGiven judges x by the matrix as given, along with those of other members.
func (a *answer) judgeGiven() (j verify.Judgement, err error) {
	s, x := a.s, a.s.Order.back(a.x)
	judge := func(pool *parallel.Pool) { j, err = s.known.given.Judge(s.given, x, a.given, s.opt.Tol, pool) }
	if s.member == nil {
		judge(s.pool)
		return j, err
	}
	s.member.ask(&request{judge: judge, of: judgements{s.known, s.pool}})
	return j, err
}
