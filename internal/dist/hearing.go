package dist

// A Hearing is a Comm whose sums also tell all ranks whether one of them has something to say. So ranks that add at each step need
// no further message to agree that they go on.
type Hearing struct {
	Comm
	Speaks func() bool // reports whether this rank has something to say; nil: it has not

	sums  int  // since Quiet
	heard bool // a rank had something to say at one of them
	send  []int64
}

// NewHearing returns a Hearing on c, or c itself if it is one.
func NewHearing(c Comm) *Hearing {
	if h, ok := c.(*Hearing); ok {
		return h
	}
	return &Hearing{Comm: c}
}

// Sum implements Comm.
func (h *Hearing) Sum(x []int64) {
	speaks := int64(0)
	if h.Speaks != nil && h.Speaks() {
		speaks = 1
	}
	h.send = append(append(h.send[:0], x...), speaks)
	h.Comm.Sum(h.send)
	copy(x, h.send)
	h.sums++
	h.heard = h.heard || h.send[len(x)] > 0
}

// Quiet reports whether no rank had something to say at the sums since the last call of Quiet; false if there were none. The answer is
// the same on all ranks.
func (h *Hearing) Quiet() bool {
	quiet := h.sums > 0 && !h.heard
	h.sums, h.heard = 0, false
	return quiet
}
