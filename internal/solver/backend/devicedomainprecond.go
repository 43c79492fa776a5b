package backend

import (
	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/solver/ranks"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// Ready puts polynomials, and diagonals and blocks of domains, on the devices; others stay on the host. Collective.
func (a *deviceRankMatrix) Ready(made precond.Preconditioner) (krylov.Preconditioner[*domainVector], error) {
	d := a.at
	data, polynomial := made.Data().(precond.Polynomial)
	parts, divided := made.(interface {
		Domains() []precond.Preconditioner
	})
	p := &DevicePrecond[*domainVector]{On: d.on}
	put := func() error { return a.putParts(p, parts.Domains()) }
	switch {
	case polynomial:
		put = func() error {
			a.shared = true
			p.Preconditioner = precond.NewPolynomial(d.domainSpace, a.domainMatrix, d.FromHost(data.W), data.Omega)
			return nil
		}
	case !divided:
		return &throughHost{d, made, make([]float64, d.job.Len), make([]float64, d.job.Len)}, nil
	}
	err := p.place(made, put)
	if err = ranks.AgreeError(d.job.Comm, err); err != nil {
		p.Close()
		return nil, err
	}
	d.owned = append(d.owned, p)
	src, dst := d.FromHost(make([]float64, d.job.Len)), d.take(d.New)
	p.Apply(dst, src) // for the launches, of which a rank with fewer domains has fewer
	d.GiveBack(src, dst)
	bytes, launches := []int64{p.left.cost.Bytes}, []int64{int64(p.left.Launches)}
	d.job.Comm.Sum(bytes)
	d.job.Comm.Max(launches)
	p.left.cost.Bytes, p.left.Launches = bytes[0], int(launches[0])
	return p, nil
}

// putParts copies the preconditioners of the domains of this rank to its device.
func (a *deviceRankMatrix) putParts(p *DevicePrecond[*domainVector], parts []precond.Preconditioner) error {
	var all domainPreconds
	for k, own := range parts {
		by, err := p.diagonal(a.at.parts[k], ofSegment(a.at.job.Parts[k], own.Data()))
		if err != nil {
			return err
		}
		all = append(all, by)
	}
	p.Preconditioner = all
	return nil
}

// throughHost is a preconditioner on the host: an application copies a vector to the host, and one back.
type throughHost struct {
	at       *deviceRanks
	by       precond.Preconditioner
	dst, src []float64
}

// Apply computes dst = M^-1 src.
func (p *throughHost) Apply(dst, src *domainVector) {
	p.at.Download(p.src, src)
	p.by.Apply(p.dst, p.src)
	p.at.Upload(dst, p.dst)
}

// domainPreconds are the preconditioners of the domains of this rank.
type domainPreconds []gpu.Preconditioner

// Apply computes dst = M^-1 src.
func (p domainPreconds) Apply(dst, src *domainVector) {
	for k, by := range p {
		by.Apply(dst.part[k], src.part[k])
	}
}

// ofSegment returns the data of a domain for its segment, with zeros for the ghosts.
func ofSegment(p dist.Part, own precond.Data) precond.Data {
	switch own := own.(type) {
	case precond.Diagonal:
		w := make(precond.Diagonal, p.Next()-p.At)
		copy(w[p.Below:], own)
		return w
	case precond.BlockDiagonal:
		return blocksOfSegment(p, own)
	}
	return own
}

// blocksOfSegment is ofSegment, with a block for each ghost.
func blocksOfSegment(p dist.Part, own precond.BlockDiagonal) (all precond.BlockDiagonal) {
	add := func(rows int, bytes uint8, exponent int16) {
		all.First = append(all.First, all.First[len(all.First)-1]+int32(rows))
		all.Bytes, all.Exponent = append(all.Bytes, bytes), append(all.Exponent, exponent)
	}
	ghosts := func(n int) {
		for range n {
			add(1, 2, 0)
		}
	}
	all.First = []int32{0}
	ghosts(p.Below)
	for b, bytes := range own.Bytes {
		add(int(own.First[b+1]-own.First[b]), bytes, own.Exponent[b])
	}
	ghosts(p.Above)
	all.Numbers = func(yield func(int, []float64) bool) {
		zero := []float64{0}
		for b := range all.Bytes[:p.Below] {
			if !yield(b, zero) {
				return
			}
		}
		for b, numbers := range own.Numbers {
			if !yield(p.Below+b, numbers) {
				return
			}
		}
		for b := len(all.Bytes) - p.Above; b < len(all.Bytes); b++ {
			if !yield(b, zero) {
				return
			}
		}
	}
	return all
}
