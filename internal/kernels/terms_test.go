//go:build linux

package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Terms agrees with the definition for parts that end at the end of memory, and stops where there is no room.
func TestTerms(t *testing.T) { eachSet(t, testTerms) }

func testTerms(t *testing.T, k *Set) {
	rng := rand.New(rand.NewPCG(1, 2))
	const shift = 4
	for _, longest := range []int{1, 4, 9, 16, 40} {
		var part []Rows
		for range 5 {
			lengths := []int64{0}
			for range 1 << shift {
				lengths = append(lengths, lengths[len(lengths)-1]+rng.Int64N(int64(longest)+1))
			}
			n := int(lengths[len(lengths)-1])
			p := Rows{guardedSlice[int64](t, len(lengths)), guardedSlice[int32](t, n), guardedSlice[float64](t, n)}
			copy(p.Ptr, lengths)
			for k := range n {
				p.Col[k], p.Val[k] = rng.Int32(), rng.NormFloat64()
			}
			part = append(part, p)
		}
		for rows := range 12 {
			j, f := guardedSlice[int32](t, rows), guardedSlice[float64](t, rows)
			var ends []int
			var cols []int32
			var vals []float64
			for k := range j {
				j[k], f[k] = rng.Int32N(5<<shift), rng.NormFloat64()
				p, at := part[j[k]>>shift], j[k]%(1<<shift)
				for e := p.Ptr[at]; e < p.Ptr[at+1]; e++ {
					cols, vals = append(cols, p.Col[e]), append(vals, f[k]*p.Val[e])
				}
				ends = append(ends, len(cols))
			}
			for _, room := range []int{len(cols) + TermSlack, len(cols) + TermSlack - 1, len(cols)/2 + TermSlack, TermSlack, TermSlack - 1, 0} {
				want := 0 // number of rows
				for want < rows && ends[want]+TermSlack <= room {
					want++
				}
				end := 0
				if want > 0 {
					end = ends[want-1]
				}
				col, val := guardedSlice[int32](t, room), guardedSlice[float64](t, room)
				gotRows, terms := k.Terms(col, val, j, f, part, shift)
				if gotRows != want || terms != end || !slices.Equal(col[:terms], cols[:end]) || !slices.Equal(val[:terms], vals[:end]) {
					t.Fatalf("rows up to %d, room for %d: %d rows with %d terms, want %d with %d, or other terms", longest, room, gotRows, terms, want, end)
				}
			}
		}
	}
}

// The sums agree with the definition, column by column in the order in which the columns first occur.
func TestAddTerms(t *testing.T) { eachSet(t, testAddTerms) }

func testAddTerms(t *testing.T, k *Set) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, columns := range []int{1, 2, 7, 100} {
		for n := range 70 {
			c, p := guardedSlice[int32](t, n), guardedSlice[float64](t, n)
			var cols []int32
			sums := map[int32]float64{}
			for k := range n {
				c[k], p[k] = rng.Int32N(int32(columns)), rng.NormFloat64()
				if _, there := sums[c[k]]; !there {
					cols = append(cols, c[k])
				}
				sums[c[k]] += p[k]
			}
			place, col, val := guardedSlice[int32](t, columns), guardedSlice[int32](t, n+1), guardedSlice[float64](t, n+1)
			if got := k.AddTerms(place, col, val, c, p); got != len(cols) || !slices.Equal(col[:got], cols) {
				t.Fatalf("%d terms in %d columns: the columns %v, want %v", n, columns, col[:got], cols)
			}
			for k, j := range cols {
				if val[k] != sums[j] || place[j] != int32(k+1) {
					t.Fatalf("%d terms in %d columns: column %d has the sum %g in place %d, want %g in %d", n, columns, j, val[k], place[j], sums[j], k+1)
				}
			}
		}
	}
}
