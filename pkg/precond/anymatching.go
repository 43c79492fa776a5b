package precond

import "math"

// anyPaths matches the columns that are still free, without regard to the values, in phases:
// each numbers the columns by their distance from the free ones, breadth first, and then
// augments along disjoint shortest paths, depth first [HopcroftKarp73]. There are at most
// O(sqrt n) phases.
func (t *matcher) anyPaths() error {
	n := len(t.rowOf)
	s := &phase{matcher: t, level: make([]int32, n), next: make([]int, n)}
	for {
		reached, free, err := s.number()
		if err != nil || free == 0 {
			return err
		}
		if !reached {
			return errNoTransversal
		}
		for j := range n {
			if t.rowOf[j] < 0 {
				if err := s.deepen(int32(j)); err != nil {
					return err
				}
			}
		}
	}
}

// phase is a phase of the matching of [HopcroftKarp73].
type phase struct {
	*matcher
	level []int32 // of each column, -1: not reached
	next  []int   // entry of each column from which the search goes on
	queue []int32 // columns
	path  []int32 // columns
}

// number sets the levels of columns, up to the first level from which a free row is
// reached, and counts the free columns.
func (s *phase) number() (reached bool, free int, err error) {
	s.queue = s.queue[:0]
	for j, i := range s.rowOf {
		s.level[j], s.next[j] = -1, 0
		if i < 0 {
			s.level[j] = 0
			s.queue = append(s.queue, int32(j))
		}
	}
	free, last := len(s.queue), int32(math.MaxInt32)
	for k := 0; k < len(s.queue); k++ {
		j := s.queue[k]
		if s.level[j] >= last {
			break
		}
		rows, _ := s.columns.Row(int(j))
		if err := s.spend(len(rows)); err != nil {
			return false, free, err
		}
		for _, i := range rows {
			switch to := s.colOf[i]; {
			case to < 0:
				reached, last = true, s.level[j]+1
			case s.level[to] < 0:
				s.level[to] = s.level[j] + 1
				s.queue = append(s.queue, to)
			}
		}
	}
	return reached, free, nil
}

// deepen searches for a path from a free column to a free row that goes up one level with
// each step, and changes the matching along it.
func (s *phase) deepen(root int32) error {
	s.path = append(s.path[:0], root)
	for len(s.path) > 0 {
		j := s.path[len(s.path)-1]
		rows, _ := s.columns.Row(int(j))
		first := s.next[j]
		deeper := false
		for ; s.next[j] < len(rows) && !deeper; s.next[j]++ {
			i := rows[s.next[j]]
			to := s.colOf[i]
			if to < 0 {
				s.from[i] = j
				s.exchange(root, i)
				return s.spend(s.next[j] - first + len(s.path))
			}
			if s.level[to] == s.level[j]+1 && s.next[to] == 0 {
				s.from[i] = j
				s.path = append(s.path, to)
				deeper = true
			}
		}
		if err := s.spend(s.next[j] - first + 1); err != nil {
			return err
		}
		if !deeper {
			s.path = s.path[:len(s.path)-1]
		}
	}
	return nil
}
