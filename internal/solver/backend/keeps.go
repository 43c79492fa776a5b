package backend

import "slices"

// keeps is what a backend on devices keeps until it is closed: free vectors, and the objects that it closes.
type keeps[V any] struct {
	spare []V
	owned []closer // the last one is closed first
}

// take returns a free vector, or a new one if none is free.
func (k *keeps[V]) take(create func() V) V {
	if len(k.spare) == 0 {
		return create()
	}
	last := len(k.spare) - 1
	v := k.spare[last]
	k.spare = k.spare[:last]
	return v
}

func (k *keeps[V]) GiveBack(vs ...V) { k.spare = append(k.spare, vs...) }

func (k *keeps[V]) closeOwned() {
	for _, c := range slices.Backward(k.owned) {
		c.Close()
	}
}

// exponents returns sign e in the form of devices; nil: all exponents are zero.
func exponents(e []int, sign int) []int32 {
	if !slices.ContainsFunc(e, func(e int) bool { return e != 0 }) {
		return nil
	}
	signed := make([]int32, len(e))
	for i := range e {
		signed[i] = int32(sign * e[i])
	}
	return signed
}
