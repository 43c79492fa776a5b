package precond

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// domainwise is M^-1 = sum over domains of R^T M_d^-1 R, M_d ~ R A R^T: block Jacobi, R being the rows of a domain. With
// overlap it is restricted additive Schwarz [CaiSarkis99],
//
//	M^-1 = sum over domains of R^T R_1^T M_d^-1 R_1,  M_d ~ R_1 A R_1^T,
//
// where R_1 has a layer of other rows, the ghosts, besides. Then M is not symmetric; where it must be, it is
//
//	M^-1 = W sum over domains of R_1^T M_d^-1 R_1 W,  w_i = (number of segments that have row i)^(-1/4),
//
// half way between additive Schwarz, w_i = 1, which counts what domains share several times and takes 20 % more iterations than no
// overlap on a Poisson equation in 2 domains, and averages, w_i being the power -1/2, which take five times as many on an elastic body.
type domainwise struct {
	hostOnly
	layout  *dist.Layout
	parts   []Preconditioner // of this rank
	overlap bool
	shared  *shared        // of symmetric M with overlap, nil otherwise
	pool    *parallel.Pool // of parts that are applied at once; nil: each has all threads, one after the other
	name    string
	cost    Cost // of all ranks

	dst, src vector // of the application that is running
}

// byDomain makes a preconditioner of each domain and joins them.
func byDomain(create func(setup) (Preconditioner, error)) func(distributed) (Preconditioner, error) {
	return func(s distributed) (Preconditioner, error) {
		overlap, err := s.overlaps()
		if err != nil {
			return nil, err
		}
		p := &domainwise{layout: s.a.Layout, parts: make([]Preconditioner, len(s.a.Parts)), overlap: overlap}
		var ghosts []dist.Rows
		if overlap {
			ghosts = s.a.GhostRows(s.m)
		}
		own := make([]outcome, len(p.parts))
		do := func(k int, pool *parallel.Pool) {
			p.parts[k], own[k] = s.domain(k, ghosts, create, pool)
		}
		if s.atOnce() {
			p.pool = s.pool
			s.pool.Each(len(p.parts), func(k int) { do(k, nil) })
		} else {
			for k := range p.parts {
				if do(k, s.pool); own[k].Error != nil {
					break // the first domain that fails counts
				}
			}
		}
		all := joinOutcomes(s.a.Comm, own)
		s.report(all)
		if all.Error != nil {
			return nil, decodeError(all.Error)
		}
		p.cost, p.name = all.Cost, fmt.Sprintf("%s in %d domains", all.Name, s.a.Domains.Count())
		if overlap {
			p.name += " with overlap"
			if s.Symmetric {
				p.shared = s.shared()
				p.cost = p.cost.Add(s.total(workCost(int64(2 * s.a.Elements()))))
			}
		}
		return p, nil
	}
}

// Domains returns the preconditioners of the domains of this rank; nil if domains overlap.
func (p *domainwise) Domains() []Preconditioner {
	if p.overlap {
		return nil
	}
	return p.parts
}

// mostOverlap bounds the rows of all segments with overlap, relative to the rows of the matrix: beyond, it costs more time than it saves
// in iterations.
const mostOverlap = 3

// overlaps reports whether there is a layer of overlap. By default there is if domains are large enough, and if M
// must be symmetric only where nodes have several unknowns: there iterations are a half to a fifth, but G3_circuit and the 7-point
// Laplacian take about as many as without, each of which takes longer. Collective.
func (s *distributed) overlaps() (bool, error) {
	switch s.Overlap {
	case "":
		if !s.description.Overlaps || s.Symmetric && BlockSizeDistributed(s.a) == 1 {
			return false, nil
		}
		rows := []int64{int64(s.a.Elements())}
		s.a.Comm.Sum(rows)
		return rows[0] <= mostOverlap*s.a.N, nil
	case OverlapNone:
		return false, nil
	case OverlapOne:
		if !s.description.Overlaps {
			return false, fmt.Errorf("overlap %s is for incomplete and complete factorisations", s.Overlap)
		}
		return true, nil
	}
	return false, fmt.Errorf("unknown overlap %q", s.Overlap)
}

// atOnce reports whether the domains of this rank are done several at once, each by one thread: where they are as many as
// threads, or too small for several.
func (s *distributed) atOnce() bool {
	largest := 0
	for _, p := range s.a.Parts {
		largest = max(largest, p.Own)
	}
	threads := s.pool.Threads()
	return threads > 1 && len(s.a.Parts) > 1 && (len(s.a.Parts) >= threads || largest < subdomains*subdomainRows)
}

// domain makes the preconditioner of part k and says how that went.
func (s *distributed) domain(
	k int, ghosts []dist.Rows, create func(setup) (Preconditioner, error), pool *parallel.Pool,
) (made Preconditioner, o outcome) {
	p := s.a.Parts[k]
	m, lo, hi := (*csr.Matrix)(nil), p.First(), p.End()
	if ghosts != nil {
		m, lo, hi = s.a.Segment(s.m, k, ghosts[k], pool), p.At, p.Next()
	} else {
		m = s.a.Block(s.m, k)
	}
	opt := s.Options
	opt.Operator = nil
	opt.MaxBytes = s.share(opt.MaxBytes, m)
	opt.Stage = nil // several at a time
	opt.Log = func(line string) { o.Lines = append(o.Lines, line) }
	last := int64(0)
	opt.Worked = func(multiplications int64) {
		if multiplications < last { // it starts again
			o.Worked += last
		}
		last = multiplications
	}
	opt.Needs = func(bytes int64) { o.Needs = max(o.Needs, s.ofAll(bytes, m)) }
	opt.Multigrid.NearNull = nil
	for _, v := range s.Multigrid.NearNull {
		opt.Multigrid.NearNull = append(opt.Multigrid.NearNull, v[lo:hi])
	}
	made, err := createOne(s.ctx, create, m, opt, pool, func(i int) []float64 {
		_, vals := s.m.Row(lo + i)
		return vals
	})
	o.Worked += last
	if err != nil {
		o.Error = encodeError(s.located(p, err))
		return nil, o
	}
	o.Cost, o.Name = made.Cost(), made.String()
	return made, o
}

// createOne makes the preconditioner of a domain.
func createOne(
	ctx context.Context, create func(setup) (Preconditioner, error), m *csr.Matrix, opt Options, pool *parallel.Pool,
	values func(i int) []float64,
) (p Preconditioner, err error) {
	s := newSetup(ctx, m, opt, pool)
	s.values = values
	defer s.end(&err)
	if err := s.interrupted(); err != nil {
		return nil, err
	}
	return create(s)
}

// share returns the share of a domain, whose block is m, in a limit for the whole matrix; at least 1, unless there is no limit.
func (s *distributed) share(limit int64, m *csr.Matrix) int64 {
	if limit == 0 {
		return 0
	}
	return max(1, int64(float64(limit)*s.part(m)))
}

// ofAll is the least limit for the whole matrix of which a domain has so many bytes.
func (s *distributed) ofAll(bytes int64, m *csr.Matrix) int64 {
	return int64(math.Ceil(float64(bytes) / s.part(m)))
}

// part is the part of a block in the memory for the whole matrix. Rows count as entries do: a block without entries takes memory for vectors.
func (s *distributed) part(m *csr.Matrix) float64 {
	return float64(max(m.NNZ()+m.Rows, 1)) / float64(max(s.a.NNZ+s.a.N, 1))
}

// located says in which domain an error was found, of several.
func (s *distributed) located(p dist.Part, err error) error {
	if s.a.Domains.Count() == 1 {
		return err
	}
	rows := "rows from %d on"
	if s.a.Order != nil {
		rows = "row %d and its neighbours"
	}
	return fmt.Errorf("domain %d, "+rows+": %w", p.Domain+1, s.a.Given(p.First())+1, err)
}

// outcome is how making the preconditioner of a domain went, or of several.
type outcome struct {
	Error  []byte // of encodeError; nil: none
	Name   string
	Cost   Cost
	Worked int64
	Needs  int64    // of Options.Needs, for all domains
	Lines  []string // of Options.Log
}

// joinOutcomes joins the outcomes of all domains up to the first with an error, the same on all ranks.
// Collective.
func joinOutcomes(c dist.Comm, own []outcome) (all outcome) {
	b, err := json.Marshal(own)
	if err != nil {
		panic(err) // they hold numbers and text alone
	}
	for _, b := range c.Gather(b) {
		var parts []outcome
		if err := json.Unmarshal(b, &parts); err != nil {
			panic(err)
		}
		for _, o := range parts {
			all.Lines = append(all.Lines, o.Lines...)
			all.Needs = max(all.Needs, o.Needs)
			if all.Worked += o.Worked; o.Error != nil {
				all.Error = o.Error
				return all
			}
			all.Cost = all.Cost.Add(o.Cost)
			all.Name = commonClauses(cmp.Or(all.Name, o.Name), o.Name)
		}
	}
	return all
}

// commonClauses returns the clauses that two names share: "ldl, AMD order" of the names "ldl, AMD order, 3 negative pivots" and
// "ldl, AMD order, 5 negative pivots".
func commonClauses(a, b string) string {
	as, bs := strings.Split(a, ", "), strings.Split(b, ", ")
	same := 0
	for same < min(len(as), len(bs)) && as[same] == bs[same] {
		same++
	}
	return strings.Join(as[:same], ", ")
}

// report tells Worked, Needs and Log what domains have taken and said; what several have said, once.
func (s *distributed) report(all outcome) {
	if s.Needs != nil {
		s.Needs(all.Needs)
	}
	if s.Worked != nil {
		s.Worked(all.Worked)
	}
	said := map[string]int{} // by how many domains
	for _, line := range all.Lines {
		said[line]++
	}
	for _, line := range all.Lines {
		if n := said[line]; n > 0 {
			s.logf("%s (in %d of %d domains)", line, n, s.a.Domains.Count())
			said[line] = 0
		}
	}
}

// shared holds the steps of a symmetric M with overlap before and after the domains.
type shared struct {
	space   linop.Host // of all elements of vectors, ghosts too
	reverse *dist.Reverse
	w, work vector
}

// shared counts the segments that have each row. Collective.
func (s *distributed) shared() *shared {
	t := &shared{space: s.space(s.a.Len), reverse: s.a.Halo.Reverse()}
	t.w, t.work = t.space.New(), t.space.New()
	for i := range t.w {
		t.w[i] = 1
	}
	t.reverse.Add(t.w)
	for i, count := range t.w {
		t.w[i] = 1 / math.Sqrt(math.Sqrt(count))
	}
	return t
}

// Apply computes dst = M^-1 src. With overlap it may renew the ghosts of src, and is collective.
func (p *domainwise) Apply(dst, src vector) {
	if p.shared != nil {
		p.shared.space.Mul(1, p.shared.w, src, p.shared.work)
		src = p.shared.work
	}
	if p.overlap {
		p.layout.Halo.Exchange(src)
	}
	p.dst, p.src = dst, src
	if p.pool != nil {
		p.pool.Run(len(p.parts), p)
	} else {
		for k := range p.parts {
			p.Do(k)
		}
	}
	p.dst, p.src = nil, nil
	if p.shared != nil {
		p.shared.reverse.Add(dst)
		p.shared.space.Mul(1, p.shared.w, dst, dst)
	}
}

// Do applies the preconditioner of a part.
func (p *domainwise) Do(k int) {
	part := p.layout.Parts[k]
	lo, hi := part.First(), part.End()
	if p.overlap {
		lo, hi = part.At, part.Next()
	}
	p.parts[k].Apply(p.dst[lo:hi], p.src[lo:hi])
}

func (p *domainwise) Cost() Cost { return p.cost }

func (p *domainwise) String() string { return p.name }
