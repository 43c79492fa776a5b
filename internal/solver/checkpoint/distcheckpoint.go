package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// A checkpoint of a matrix over ranks has whole vectors, so that any number of ranks can go on from it. Each rank writes and reads the elements
// of its domains; for a rank that does not see the file rank 0 does so.

// sharedCheckpoint is what rank 0 tells the others about its Checkpoints.
type sharedCheckpoint struct {
	On, Saves bool
	Program   string
	State     *checkpointState // to go on from, without vectors
	Vectors   int
	Sum       digest // of the head of its file
}

// NewOverDomains is New for a matrix of several domains, by the Checkpoints of rank 0: other ranks have Save too, and Resume if they see the
// file. Collective.
func NewOverDomains(s *choice.System) (*Recorder, error) {
	opt, j := s.Opt.Checkpoint, s.Job
	from, failed := takenOf(opt.Resume)
	source := from.source()
	shared, err := ranks.ShareRoot(j.Comm, func() (c sharedCheckpoint, err error) {
		c.On, c.Saves, c.Program = opt.Save != nil || opt.Resume != nil, opt.Save != nil, opt.Program
		if source != nil {
			c.State, c.Vectors, c.Sum = &source.state, int(source.vectors), source.Sum
		}
		return c, failed
	})
	if err != nil || !shared.On {
		return nil, err
	}
	if j.Comm.Rank() > 0 {
		opt = solve.Checkpoints{Program: shared.Program, Save: opt.Save}
	}
	if !shared.Saves {
		opt.Save = nil
	}
	s.Opt.Checkpoint = opt
	if from != nil {
		s.Opt.Storage.Model = from.identity.Model
	}
	if shared.State != nil {
		if _, err := ranks.AgreeMachine(j.Comm, &s.Opt.Storage); err != nil { // on the model of rank 0
			return nil, err
		}
	}
	r := &Recorder{opt: opt, identity: identifyOverDomains(s), job: j, last: time.Now()}
	if j.Comm.Rank() == 0 && from != nil {
		if why := from.identity.differs(r.identity); why != "" {
			err = choice.RefusedCheckpoint("%s", why)
		} else if !slices.Equal(source.start, j.Domains.Start) {
			err = choice.RefusedCheckpoint("is of other domains")
		}
	}
	if err = ranks.AgreeError(j.Comm, err); err == nil && shared.State != nil {
		if source != nil && source.Sum != shared.Sum { // another file of that name
			source = nil
		}
		err = r.receive(source, shared)
	}
	return r, err
}

// receive sets the checkpoint to resume of this rank, from its file or, if source is nil, from rank 0. Collective.
func (r *Recorder) receive(source *stored, shared sharedCheckpoint) error {
	j, c := r.job, r.job.Comm
	var own [][]float64
	var err error
	blind := source == nil
	if !blind {
		own, err = source.read(j.Domains.Owned(c.Rank(), c.Size()))
	}
	for rank := dist.First(c, blind); rank >= 0; rank = dist.First(c, blind) {
		to := make([][]byte, c.Size())
		if c.Rank() == 0 {
			v, failed := source.read(j.Domains.Owned(rank, c.Size()))
			to[rank], err = dist.Bytes(slices.Concat(v...)), cmp.Or(err, failed)
		}
		from := c.Alltoall(to)
		if rank == c.Rank() {
			own, blind = make([][]float64, shared.Vectors), false
			v := dist.Numbers[float64](from[0])
			for k := 0; len(v) > 0; k, v = k+1, v[j.Own:] {
				own[k] = v[:j.Own]
			}
		}
	}
	if err := ranks.AgreeError(c, err); err != nil {
		return err
	}
	for k := len(shared.State.Solved); k < len(own); k++ { // of the solve in progress
		x := make([]float64, j.Len)
		j.Spread(x, own[k])
		own[k] = x
	}
	r.from, err = (&stored{identity: r.identity, state: *shared.State}).taken(own)
	return err
}

// identifyOverDomains is identify for several domains. It is the same for any number of ranks and threads. Collective.
func identifyOverDomains(s *choice.System) identity {
	alike := *s
	alike.Opt.Storage.Kernels, alike.Opt.Precond.NearNull = "", nil
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
