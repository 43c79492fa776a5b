package lab

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// sortedKeys returns the keys of a map in increasing order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) iter.Seq[K] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}
