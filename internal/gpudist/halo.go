package gpudist

import "github.com/mpsolve/mpsolve/pkg/gpu"

// halo updates ghosts on devices by way of the host: elements that others need are gathered there and exchanged like
// vectors of the host; the received ghosts are copied to both ends of each segment.
type halo struct {
	s     *Space
	picks []gpu.Picks // the elements of each part that others need
	at    []int32     // their positions on the host, part after part
	host  []float64   // a vector of the layout
	zeros []float64
}

func newHalo(s *Space) halo {
	h := halo{s: s, at: s.layout.Sources(), host: make([]float64, s.layout.Len)}
	rest, most := h.at, 0
	for k, p := range s.layout.Parts {
		n := 0
		var own []uint32
		for n < len(rest) && int(rest[n]) < p.End() {
			own = append(own, uint32(int(rest[n])-p.At))
			n++
		}
		rest = rest[n:]
		h.picks = append(h.picks, s.parts[k].Pick(own))
		most = max(most, p.Below, p.Above)
	}
	h.zeros = make([]float64, most)
	return h
}

func (h *halo) close() {
	for k := range h.picks {
		h.picks[k].Close()
	}
}

// exchange sets the ghosts of x. It is collective.
func (h *halo) exchange(x *Vector) {
	picked := make([]float64, len(h.at))
	at := picked
	for k := range h.s.parts {
		n := h.picks[k].Len()
		h.picks[k].Get(at[:n], x.part[k])
		at = at[n:]
	}
	for k, v := range picked {
		h.host[h.at[k]] = v
	}
	h.s.layout.Halo.Exchange(h.host)
	for k, p := range h.s.layout.Parts {
		h.s.parts[k].SetRange(x.part[k], 0, h.host[p.At:p.First()])
		h.s.parts[k].SetRange(x.part[k], p.Below+p.Own, h.host[p.End():p.Next()])
	}
}

// clear makes the ghosts of x zero again.
func (h *halo) clear(x *Vector) {
	for k, p := range h.s.layout.Parts {
		h.s.parts[k].SetRange(x.part[k], 0, h.zeros[:p.Below])
		h.s.parts[k].SetRange(x.part[k], p.Below+p.Own, h.zeros[:p.Above])
	}
}
