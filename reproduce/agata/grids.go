package agata

// spans are the distances of neighbouring points of the grids of a coarse-fine search, in steps: 18, 6 and 2 mm, each
// a third of the one before.
var spans = [...]int{9, 3, 1}

// middle is the index of the thesis' coarse grid, of 6 mm.
const middle = 1

// grids holds the points of a segment by level.
type grids struct{ levels []level }

// level is one grid.
type level struct {
	points []int32           // points of the segment that belong to this grid, in order
	around map[int32][]int32 // for each point of this grid, the points of the next grid around it
}

// newGrids sorts points into levels. The points of a level lie in the middle of cells of span steps. The points of
// the next level around one of them are at most a span away in each direction; on the last level there are about as
// many as in [Molina24], where the coarse grid is 20 % of the search.
func newGrids(points []Point) (g grids) {
	g.levels = make([]level, len(spans))
	for k, span := range spans {
		for i, p := range points {
			if onGrid(p, span) {
				g.levels[k].points = append(g.levels[k].points, int32(i))
			}
		}
	}
	for k := range len(spans) - 1 {
		l := &g.levels[k]
		l.around = make(map[int32][]int32, len(l.points))
		for _, i := range l.points {
			for _, j := range g.levels[k+1].points {
				if within(points[i], points[j], spans[k]) {
					l.around[i] = append(l.around[i], j)
				}
			}
		}
	}
	return g
}

func onGrid(p Point, span int) bool {
	for _, x := range p {
		if (int(x)%span+span)%span != span/2 {
			return false
		}
	}
	return true
}

func within(p, q Point, steps int) bool {
	for k := range p {
		if d := int(p[k]) - int(q[k]); d > steps || -d > steps {
			return false
		}
	}
	return true
}

// descend searches the first level that has points and then, on each following level, the points around the best one
// so far. It uses the query fine on the last level.
func (s *Searcher) descend(levels []level, coarse, fine query) Found {
	found, q := nothing, coarse
	for k, l := range levels {
		points := l.points
		if found.Point != nothing.Point {
			points = levels[k-1].around[int32(found.Point)]
		}
		if len(points) == 0 {
			continue
		}
		if k == len(levels)-1 && s.Precision == Mixed { // merits of different arithmetic are not comparable
			found = Found{Point: nothing.Point, Merit: nothing.Merit, Tried: found.Tried}
			q = fine
		}
		found = q.best(found, points, s.Algorithm != CoarseFine)
	}
	return found
}
