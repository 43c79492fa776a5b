package lab

import "github.com/mpsolve/mpsolve/pkg/linop"

// Several is the time of a product with several vectors at once.
type Several struct {
	Vectors int
	Time
}

// ForEach returns the least seconds for each vector.
func (s Several) ForEach() float64 { return s.Min / float64(s.Vectors) }

// MovedWith returns the least bytes that a product with so many vectors reads and writes: the stored matrix and all
// vectors, once.
func (s Stored) MovedWith(vectors int) int64 { return s.Bytes + 8*int64(vectors)*int64(s.Rows+s.Cols) }

// severalCases returns the cases of products with several vectors, each equal to x, and where to store their times.
func severalCases(products []Product, rows int, x []float64) (cases []Case, keep []*Time) {
	vectors := map[int][2]*linop.MultiVector{}
	for p := range products {
		for k := range products[p].Several {
			s := &products[p].Several[k]
			v, ok := vectors[s.Vectors]
			if !ok {
				v = [2]*linop.MultiVector{linop.NewMultiVector(rows, s.Vectors), linop.NewMultiVector(len(x), s.Vectors)}
				for j := range s.Vectors {
					v[1].Set(j, x)
				}
				vectors[s.Vectors] = v
			}
			together := products[p].together
			cases = append(cases, Warm(func() { together(v[0], v[1]) }))
			keep = append(keep, &s.Time)
		}
	}
	return cases, keep
}

// SpeedupAlone returns the time of as many products with one vector each over the time of the product.
func (r Row) SpeedupAlone(s Several) float64 { return r.Min / s.ForEach() }

// SpeedupCSR returns the time of FP64 CSR with as many vectors, at once or one by one, over the time of the product.
// It takes the fastest CSR in rows, which must be of the same matrix and threads.
func SpeedupCSR(rows []Row, s Several) float64 {
	least := rows[0].Ordinary
	for _, r := range rows {
		if r.Layout != TunedCSR {
			continue
		}
		least = min(least, r.Min)
		for _, csr := range r.Several {
			if csr.Vectors == s.Vectors {
				least = min(least, csr.ForEach())
			}
		}
	}
	return least / s.ForEach()
}
