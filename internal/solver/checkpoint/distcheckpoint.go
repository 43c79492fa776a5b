package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Rank 0 takes the checkpoint of a matrix over ranks. It has whole vectors, so that any number of ranks can go on from it.
// When the checkpoint is written, rank 0 gets vectors piece by piece; one that is read is there whole, and sent to its owners.

// sharedCheckpoint is what rank 0 tells the others about its Checkpoints.
type sharedCheckpoint struct {
	On, Saves bool
	Program   string
	State     *checkpointState // to go on from, without vectors
	Vectors   int
}

// NewOverDomains is New for a matrix of several domains, by the Checkpoints of rank 0. Collective.
func NewOverDomains(s *choice.System) (*Recorder, error) {
	opt, j := s.Opt.Checkpoint, s.Job
	var vectors [][]float64
	shared, err := ranks.ShareRoot(j.Comm, func() (c sharedCheckpoint, err error) {
		c.On, c.Saves, c.Program = opt.Save != nil || opt.Resume != nil, opt.Save != nil, opt.Program
		if from, err := takenOf(opt.Resume); err != nil {
			return c, err
		} else if from != nil {
			var state checkpointState
			state, vectors = from.state()
			c.State, c.Vectors = &state, len(vectors)
		}
		return c, nil
	})
	if err != nil || !shared.On {
		return nil, err
	}
	if j.Comm.Rank() > 0 {
		opt = solve.Checkpoints{Program: shared.Program}
	}
	s.Opt.Checkpoint = opt
	r, err := &Recorder{opt: opt, identity: identifyOverDomains(s), job: j, saves: shared.Saves, last: time.Now()}, error(nil)
	if from, _ := takenOf(opt.Resume); from != nil {
		if why := from.identity.differs(r.identity); why != "" {
			err = choice.RefusedCheckpoint("%s", why)
		}
	}
	if err := ranks.AgreeError(j.Comm, err); err != nil {
		return nil, err
	}
	if shared.State != nil {
		err = r.receive(*shared.State, vectors, shared.Vectors)
	}
	return r, ranks.AgreeError(j.Comm, err)
}

// receive sets the checkpoint to resume of this rank, with the own elements of count whole vectors on rank 0. Collective.
func (r *Recorder) receive(state checkpointState, vectors [][]float64, count int) error {
	own := make([][]float64, count)
	for k := range own {
		var v []float64
		if vectors != nil {
			v = vectors[k]
		}
		own[k] = r.job.FromRoot(v)
		if k >= len(state.Solved) { // of the solve in progress
			x := make([]float64, r.job.Len)
			r.job.Spread(x, own[k])
			own[k] = x
		}
	}
	c, ok := state.checkpoint(own)
	if !ok {
		return choice.Damaged("%d vectors are not what its state needs", count)
	}
	c.identity = r.identity
	r.from = c
	return nil
}

// send passes a checkpoint with whole vectors to Save on rank 0. Collective.
func (r *Recorder) send(c *Taken) {
	state, vectors := c.state()
	gather := func(k int, put func(part []float64)) {
		v := vectors[k]
		if k >= len(state.Solved) {
			v = make([]float64, r.job.Own)
			r.job.Join(v, vectors[k])
		}
		r.job.ToRoot(v, put)
	}
	next := 0
	if r.job.Comm.Rank() == 0 {
		c.gather = func(k int, put func(part []float64)) error {
			if k != next {
				return errors.New("solve: a checkpoint over ranks can be written once, while it is taken")
			}
			next++
			gather(k, put)
			return nil
		}
		r.opt.Save(c)
	}
	for ; next < len(vectors); next++ { // the other ranks, and what was not written
		gather(next, func([]float64) {})
	}
}

// identifyOverDomains is identify for several domains. It is the same for any number of ranks and threads. Collective.
func identifyOverDomains(s *choice.System) identity {
	alike := *s
	alike.Opt.Storage.Kernels, alike.Opt.Storage.Model, alike.Opt.Precond.NearNull = "", nil, nil
	id := identifyBy(&alike, s.Opt.Storage, func() string {
		sum := jobDigest(s.Job, func(k int) digest {
			h := sha256.New()
			p := s.Job.Parts[k]
			var pattern []int64
			for lo := p.First(); lo < p.End(); lo += chunk {
				hi := min(lo+chunk, p.End())
				pattern = pattern[:0]
				for i := lo; i < hi; i++ {
					cols, _ := s.Given.Row(i)
					pattern = append(pattern, int64(len(cols)))
					for _, c := range cols {
						pattern = append(pattern, s.Job.Global(int(c)))
					}
				}
				addNumbers(h, pattern)
				addNumbers(h, s.Given.Val[s.Given.RowPtr[lo]:s.Given.RowPtr[hi]])
			}
			return digest(h.Sum(nil))
		})
		return hex.EncodeToString(sum[:])
	})
	id.Threads, id.Rows, id.Nonzeros, id.Domains, id.ByGraph = 0, int(s.Job.N), int(s.Job.NNZ), s.Job.Domains.Count(), s.Job.Order != nil
	for k, v := range s.Opt.Precond.NearNull {
		sum := vectorsDigest(s.Job, v, nil)
		id.Options = append(id.Options, option{fmt.Sprintf("near-null vector %d", k+1), hex.EncodeToString(sum[:8])})
	}
	return id
}

// jobDigest returns the checksum of the checksums of all domains, in their order. Collective.
func jobDigest(j *ranks.Job, of func(k int) digest) (d digest) {
	var own []byte
	for k := range j.Parts {
		part := of(k)
		own = append(own, part[:]...)
	}
	h := sha256.New()
	for _, b := range j.Comm.Gather(own) {
		h.Write(b)
	}
	return digest(h.Sum(nil))
}

// vectorsDigest returns the checksum of a right-hand side and a guess, of which each rank has its own elements. Collective.
func vectorsDigest(j *ranks.Job, b, x0 []float64) digest {
	at := 0
	return jobDigest(j, func(k int) digest {
		lo := at
		at += j.Parts[k].Own
		if x0 == nil {
			return systemDigest(b[lo:at], nil)
		}
		return systemDigest(b[lo:at], x0[lo:at])
	})
}
