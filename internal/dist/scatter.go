package dist

// Scatter returns the own elements of this rank, given all elements on rank 0. At most about 32 MiB are in flight at
// a time. It is collective.
func Scatter(c Comm, d Domains, all []float64) []float64 {
	return scatter(c, d, all, moveBytes/8)
}

// scatter is Scatter with so many elements at a time.
func scatter(c Comm, d Domains, all []float64, most int64) []float64 {
	starts := d.starts(c.Size())
	own := make([]float64, 0, starts[c.Rank()+1]-starts[c.Rank()])
	for at := int64(0); at < d.Rows(); at += most {
		to := make([][]byte, c.Size())
		if c.Rank() == 0 {
			for r := range to {
				from, end := max(at, starts[r]), min(at+most, starts[r+1])
				if from < end {
					to[r] = Bytes(all[from:end])
				}
			}
		}
		own = append(own, Numbers[float64](c.Alltoall(to)[0])...)
	}
	return own
}
