package solve

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/mpsolve/mpsolve/pkg/dist"
)

// A Checkpoint of a matrix over ranks is that of rank 0, and has the vectors of the whole, so that any number of ranks goes on from it.
// Each is gathered when it is written, and sent to its owners when it is read.

// sharedCheckpoint is what rank 0 tells of its Checkpoints.
type sharedCheckpoint struct {
	On, Saves bool
	Program   string
	State     *checkpointState // to go on from, without vectors
	Vectors   int
}

// newRecorderOverDomains is newRecorder for a matrix of several domains, by the Checkpoints of rank 0. Collective.
func newRecorderOverDomains(s *Solver) (*recorder, error) {
	opt, j := s.opt.Checkpoint, s.job
	var vectors [][]float64
	shared, err := shareRoot(j.Comm, func() (c sharedCheckpoint, err error) {
		c.On, c.Saves, c.Program = opt.Save != nil || opt.Resume != nil, opt.Save != nil, opt.Program
		if opt.Resume != nil {
			var state checkpointState
			state, vectors = opt.Resume.state()
			c.State, c.Vectors = &state, len(vectors)
		}
		return c, nil
	})
	if err != nil || !shared.On {
		return nil, err
	}
	if j.Comm.Rank() > 0 {
		opt = Checkpoints{Program: shared.Program}
	}
	s.opt.Checkpoint = opt
	r, err := &recorder{opt: opt, identity: s.identifyOverDomains(), job: j, saves: shared.Saves, last: time.Now()}, error(nil)
	if opt.Resume != nil {
		if why := opt.Resume.identity.differs(r.identity); why != "" {
			err = refusedCheckpoint("%s", why)
		}
	}
	if err := agreeError(j.Comm, err); err != nil {
		return nil, err
	}
	if shared.State != nil {
		err = r.receive(*shared.State, vectors, shared.Vectors)
	}
	return r, agreeError(j.Comm, err)
}

// receive makes the checkpoint to resume that of this rank, with its own elements of count vectors that rank 0 has. Collective.
func (r *recorder) receive(state checkpointState, vectors [][]float64, count int) error {
	own := make([][]float64, count)
	for k := range own {
		var v []float64
		if vectors != nil {
			v = vectors[k]
		}
		own[k] = r.job.fromRoot(v)
		if k >= len(state.Solved) { // of the solve in progress
			x := make([]float64, r.job.Len)
			r.job.Spread(x, own[k])
			own[k] = x
		}
	}
	c, ok := state.checkpoint(own)
	if !ok {
		return damaged("%d vectors are not what its state needs", count)
	}
	c.identity = r.identity
	r.opt.Resume = c
	return nil
}

// send gives rank 0's Save a checkpoint of the whole. Collective.
func (r *recorder) send(c *Checkpoint) {
	state, vectors := c.state()
	gather := func(k int) []float64 {
		v := vectors[k]
		if k >= len(state.Solved) {
			v = make([]float64, r.job.Own)
			r.job.Join(v, vectors[k])
		}
		return r.job.toRoot(v)
	}
	next := 0
	if r.job.Comm.Rank() == 0 {
		c.gather = func(k int) ([]float64, error) {
			if k != next {
				return nil, errors.New("solve: a checkpoint over ranks can be written once, while it is taken")
			}
			next++
			return gather(k), nil
		}
		r.opt.Save(c)
	}
	for ; next < len(vectors); next++ { // the other ranks, and what was not written
		gather(next)
	}
}

// rowsOf returns the rows of a rank.
func (j *job) rowsOf(rank int) (lo, hi int64) {
	first, last := j.Domains.Owned(rank, j.Comm.Size())
	return j.Domains.Start[first], j.Domains.Start[last]
}

// fromRoot returns the own elements of a vector that rank 0 has. Collective.
func (j *job) fromRoot(whole []float64) []float64 {
	to := make([][]byte, j.Comm.Size())
	if j.Comm.Rank() == 0 {
		for r := range to {
			lo, hi := j.rowsOf(r)
			to[r] = dist.Bytes(whole[lo:hi])
		}
	}
	return append([]float64(nil), dist.Numbers[float64](j.Comm.Alltoall(to)[0])...)
}

// toRoot returns the vector of which ranks have these elements on rank 0, nil on the others. Collective.
func (j *job) toRoot(own []float64) (whole []float64) {
	to := make([][]byte, j.Comm.Size())
	to[0] = dist.Bytes(own)
	for _, b := range j.Comm.Alltoall(to) {
		if j.Comm.Rank() == 0 {
			whole = append(whole, dist.Numbers[float64](b)...)
		}
	}
	return whole
}

// digest is the checksum of those of all domains, in their order. Collective.
func (j *job) digest(of func(k int) digest) (d digest) {
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

// vectorsDigest is systemDigest of own elements. Collective.
func (j *job) vectorsDigest(b, x0 []float64) digest {
	at := 0
	return j.digest(func(k int) digest {
		lo := at
		at += j.Parts[k].Own
		if x0 == nil {
			return systemDigest(b[lo:at], nil)
		}
		return systemDigest(b[lo:at], x0[lo:at])
	})
}

// identifyOverDomains is identify, the same for any number of ranks and threads. Collective.
func (s *Solver) identifyOverDomains() identity {
	alike := *s
	alike.opt.Storage.Kernels, alike.opt.Storage.Model, alike.opt.Precond.NearNull = nil, nil, nil
	id := alike.identifyBy(s.opt.Storage, func() string {
		sum := s.job.digest(func(k int) digest {
			h := sha256.New()
			p := s.job.Parts[k]
			var pattern []int64
			for lo := p.First(); lo < p.End(); lo += chunk {
				hi := min(lo+chunk, p.End())
				pattern = pattern[:0]
				for i := lo; i < hi; i++ {
					cols, _ := s.given.Row(i)
					pattern = append(pattern, int64(len(cols)))
					for _, c := range cols {
						pattern = append(pattern, s.job.Global(int(c)))
					}
				}
				addNumbers(h, pattern)
				addNumbers(h, s.given.Val[s.given.RowPtr[lo]:s.given.RowPtr[hi]])
			}
			return digest(h.Sum(nil))
		})
		return hex.EncodeToString(sum[:])
	})
	id.Threads, id.Rows, id.Nonzeros, id.Domains = 0, int(s.job.N), int(s.job.NNZ), s.job.Domains.Count()
	for k, v := range s.opt.Precond.NearNull {
		sum := s.job.vectorsDigest(v, nil)
		id.Options = append(id.Options, option{fmt.Sprintf("near-null vector %d", k+1), hex.EncodeToString(sum[:8])})
	}
	return id
}
