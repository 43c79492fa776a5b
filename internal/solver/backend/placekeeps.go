package backend

import "slices"

// keeps is what a place on devices keeps until its end: vectors that are free again, and what it closes.
type keeps[V any] struct {
	spare []V
	owned []closer // the last one is closed first
}

// take returns a vector that is free, or else a new one.
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

// exponents returns sign e as devices have it; nil: all are zero.
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
