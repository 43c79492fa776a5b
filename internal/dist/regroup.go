package dist

// Joined returns so many domains, each of neighbouring ones of d. Where each rank has one domain, the first rank of those that are joined has
// the new one.
func (d Domains) Joined(count int) Domains {
	j := Domains{Start: make([]int64, count+1)}
	for k := range j.Start {
		j.Start[k] = d.Start[k*d.Count()/count]
	}
	return j
}

// A Regroup copies own elements of vectors of one layout to those of another one, of the same rows in other domains, and so to the ranks that have
// these.
type Regroup struct{ halo *Halo }

// NewRegroup prepares to set vectors of layout to. It is collective.
func NewRegroup(from, to *Layout) *Regroup { return &Regroup{newHaloFrom(from, to, true)} }

// Pass sets the own elements of dst, a vector of the layout to, given those of src, one of the layout from. It is collective.
func Pass[T float32 | float64](r *Regroup, dst, src []T) {
	e, ok := any(&r.halo.exchange).(*exchange[T])
	if !ok {
		e = any(&r.halo.narrow).(*exchange[T])
	}
	e.start(r.halo, dst, src, nil)
	e.finish(dst, nil)
}
