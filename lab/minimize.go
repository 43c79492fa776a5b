package lab

import "slices"

// Minimize is delta debugging, the algorithm ddmin of Zeller and Hildebrandt ([Zeller02]). It returns a subset of {0,
// ..., n-1}, in ascending order, for which holds is true, and false when any one of its elements is removed. holds
// must be true for the whole set, for which Minimize does not call it. Minimize tries pieces of the set and their
// complements, with more and more pieces, and calls holds at most once for each subset. If holds is not monotone,
// smaller sets may exist elsewhere.
//
// An error of holds ends the search; Minimize then returns the smallest set found so far.
func Minimize(n int, holds func(set []int) (bool, error)) ([]int, error) {
	set := make([]int, n)
	for i := range set {
		set[i] = i
	}
	asked := map[string]bool{}
	ask := func(s []int) (bool, error) {
		key := keyOf(n, s)
		if known, ok := asked[key]; ok {
			return known, nil
		}
		v, err := holds(s)
		asked[key] = v
		return v, err
	}
	if n == 0 {
		return set, nil
	}
	if ok, err := ask(nil); ok || err != nil {
		if ok {
			set = nil
		}
		return set, err
	}
	for pieces := 2; len(set) >= 2; {
		smaller, found, err := reduce(set, pieces, ask)
		switch {
		case err != nil:
			return set, err
		case found && len(smaller) <= (len(set)+pieces-1)/pieces: // a piece
			set, pieces = smaller, 2
		case found: // a complement
			set, pieces = smaller, max(pieces-1, 2)
		case pieces >= len(set):
			return set, nil
		default:
			pieces = min(2*pieces, len(set))
		}
	}
	return set, nil
}

// reduce returns the first piece of the set, or complement of a piece, for which ask is true.
func reduce(set []int, pieces int, ask func([]int) (bool, error)) (smaller []int, found bool, err error) {
	pieces = min(pieces, len(set))
	for k := range pieces {
		lo, hi := k*len(set)/pieces, (k+1)*len(set)/pieces
		if ok, err := ask(set[lo:hi]); ok || err != nil {
			return slices.Clone(set[lo:hi]), ok, err
		}
	}
	if pieces == 2 {
		return nil, false, nil // the complements are the pieces themselves
	}
	for k := range pieces {
		lo, hi := k*len(set)/pieces, (k+1)*len(set)/pieces
		rest := slices.Concat(set[:lo], set[hi:])
		if ok, err := ask(rest); ok || err != nil {
			return rest, ok, err
		}
	}
	return nil, false, nil
}

func keyOf(n int, set []int) string {
	key := make([]byte, n)
	for _, i := range set {
		key[i] = 1
	}
	return string(key)
}
