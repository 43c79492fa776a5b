package krylov

// pace is how long cycles are, and how they get on.
type pace struct {
	restart     int
	slow, since int // slow cycles since ||r|| was before, after since iterations
	before      float64
}

// mark takes the state at the start of a cycle, to which x and r belong to its end.
func (m *gmres[V, S]) mark() Reason {
	checkpoint := m.c.opt.Checkpoint
	if checkpoint == nil {
		return Running
	}
	checkpoint.Mark()
	m.start = m.keeps(false).state(&m.c)
	return m.pause()
}

// pause is driver.pause with the state at the start of the cycle.
func (m *gmres[V, S]) pause() Reason {
	m.snapshot()
	if !m.due() {
		return Running
	}
	return m.save(m.start)
}

func (m *gmres[V, S]) keeps(bool) kept[V, S] {
	return kept[V, S]{
		vectors: []V{m.x, m.r}, scalars: []*S{&m.rr},
		numbers: []*float64{&m.pace.before, &m.slack.rate, &m.slack.caution}, counts: []*int{&m.pace.restart, &m.pace.slow, &m.pace.since},
	}
}
