package solve

func (s *Solver) rows() int {
	if s.job != nil {
		return int(s.job.N)
	}
	return s.m.Rows
}

func (s *Solver) nonzeros() int {
	if s.job != nil {
		return int(s.job.NNZ)
	}
	return s.m.NNZ()
}
