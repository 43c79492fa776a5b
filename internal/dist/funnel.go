package dist

import "iter"

// Funnel passes the pieces of all ranks to put on rank 0, the pieces of a rank after those of the ranks before it. Rank 0 holds one piece at a
// time. Funnel ends at the first error of put, which rank 0 returns; the other ranks return nil. It is collective.
func Funnel(c Comm, pieces iter.Seq[[]byte], put func([]byte) error) (err error) {
	next, stop := iter.Pull(pieces)
	defer stop()
	for r := range c.Size() {
		for {
			to := make([][]byte, c.Size())
			goes := []int64{0, 0} // whether there is a piece, and whether put has failed
			if r == c.Rank() {
				if b, ok := next(); ok {
					to[0], goes[0] = b, 1
				}
			}
			if err != nil {
				goes[1] = 1
			}
			if c.Max(goes); goes[1] > 0 {
				return err
			}
			if goes[0] == 0 {
				break
			}
			if from := c.Alltoall(to); c.Rank() == 0 {
				err = put(from[r])
			}
		}
	}
	return err
}
