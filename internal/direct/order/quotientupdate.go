package order

import "slices"

// outside sets seen of all elements next to the variables list[from:to] to stamp plus the
// number of their rows that are not among these.
func (q *quotient) outside(from, to int) error {
	for _, i := range q.list[from:to] {
		w := int64(-q.weight[i])
		elements := q.list[q.at[i]:][:q.elements[i]]
		for _, e := range elements {
			switch s := q.seen[e]; {
			case s >= q.stamp:
				q.seen[e] = s - w
			case s != 0:
				q.seen[e] = int64(q.degree[e]) + q.stamp - w
			}
		}
		if err := q.spend(len(elements)); err != nil {
			return err
		}
	}
	return nil
}

// update brings the lists, degrees and hashes of the variables of the new element up to date,
// absorbs elements that are part of it, and eliminates variables that have no others along
// with the pivot. It takes and returns the rows of the element and those eliminated.
func (q *quotient) update(me, rows, eliminated int32) (int32, int32, error) {
	from := q.at[me]
	for p := from; p < from+int(q.length[me]); p++ {
		i := q.list[p]
		at, elements := q.at[i], int(q.elements[i])
		mine := q.list[at:][:q.length[i]]
		kept, degree, sum := 0, int32(0), uint32(0)
		for _, e := range mine[:elements] {
			if q.seen[e] == 0 {
				continue
			}
			outside := int32(q.seen[e] - q.stamp)
			if outside == 0 { // the new element has all its rows
				q.seen[e], q.length[e] = 0, 0
				continue
			}
			degree = min(degree+outside, int32(q.rows))
			mine[kept] = e
			kept++
			sum += uint32(e)
		}
		keptElements := kept
		for _, j := range mine[elements:] {
			if w := q.weight[j]; w > 0 {
				degree = min(degree+w, int32(q.rows))
				mine[kept] = j
				kept++
				sum += uint32(j)
			}
		}
		if err := q.spend(len(mine)); err != nil {
			return 0, 0, err
		}
		if degree == 0 {
			w := -q.weight[i]
			rows -= w
			eliminated += w
			q.left -= int(w)
			q.weight[i], q.into[i] = 0, me
			continue
		}
		// There is room for the new element, because one that it absorbed, or the pivot,
		// has been removed.
		if kept > keptElements {
			mine[kept] = mine[keptElements]
		}
		if keptElements > 0 {
			mine[keptElements] = mine[0]
		}
		mine[0] = me
		q.elements[i], q.length[i] = int32(keptElements+1), int32(kept+1)
		q.degree[i] = min(q.degree[i], degree)
		h := int32((sum + uint32(me)) % uint32(q.n))
		q.hash[i], q.next[i], q.bucket[h] = h, q.bucket[h], i
	}
	return rows, eliminated, nil
}

// merge merges variables of list[from:to] with the same list.
func (q *quotient) merge(from, to int) error {
	for _, v := range q.list[from:to] {
		if q.weight[v] == 0 || q.bucket[q.hash[v]] < 0 {
			continue
		}
		first := q.bucket[q.hash[v]]
		q.bucket[q.hash[v]] = -1
		for i := first; i >= 0 && q.next[i] >= 0; i = q.next[i] {
			mine := q.list[q.at[i]:][:q.length[i]]
			last := i
			for j := q.next[i]; j >= 0; j = q.next[j] {
				other := q.list[q.at[j]:][:q.length[j]]
				if len(other) != len(mine) || q.elements[i] != q.elements[j] || !q.same(mine, other, int(q.elements[i])) {
					last = j
					continue
				}
				q.weight[i] += q.weight[j]
				q.weight[j], q.into[j] = 0, i
				q.next[last] = q.next[j]
			}
			if err := q.spend(len(mine)); err != nil {
				return err
			}
		}
	}
	return nil
}

// same reports whether two lists have the same nodes, of which that many are elements. It
// sorts the elements and the variables.
func (q *quotient) same(a, b []int32, elements int) bool {
	q.work += len(a)
	if slices.Equal(a, b) {
		return true
	}
	for _, part := range [][]int32{a[:elements], a[elements:], b[:elements], b[elements:]} {
		slices.Sort(part)
	}
	return slices.Equal(a, b)
}
