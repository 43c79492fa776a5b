package dist

// A Span is the rows From to End-1.
type Span struct{ From, End int64 }

// Rows returns the number of rows.
func (s Span) Rows() int64 { return s.End - s.From }

// and returns the rows of both; without any, End is From.
func (s Span) and(t Span) Span {
	from := max(s.From, t.From)
	return Span{from, max(from, min(s.End, t.End))}
}

// partOf returns the elements of the rows t, given the elements x of the rows s, which include those of t.
func partOf[T any](x []T, s, t Span) []T { return x[t.From-s.From : t.End-s.From] }

// Spans returns the rows that each rank of a job of that size owns.
func (d Domains) Spans(size int) []Span {
	all := make([]Span, size)
	for r := range all {
		lo, hi := d.Owned(r, size)
		all[r] = Span{d.Start[lo], d.Start[hi]}
	}
	return all
}

// Redistribute returns the elements want[Rank] of a vector, given those of have[Rank] in x: each row is in one of have. At most about 32 MiB of
// a rank are in flight at a time. It is collective; all ranks pass the same have and want.
func Redistribute[T int64 | float64](c Comm, x []T, have, want []Span) []T {
	return redistribute(c, x, have, want, moveBytes/8)
}

// redistribute is Redistribute with so many elements at a time.
func redistribute[T int64 | float64](c Comm, x []T, have, want []Span, most int64) []T {
	me := c.Rank()
	own := make([]T, want[me].Rows())
	for at := int64(0); ; at += most {
		sent, left := make([]Span, len(have)), false // of each rank, in this round
		for r, s := range have {
			sent[r] = s.and(Span{s.From + at, s.From + at + most})
			left = left || sent[r].Rows() > 0
		}
		if !left {
			return own
		}
		to := make([][]byte, c.Size())
		for r, s := range want {
			if s = sent[me].and(s); s.Rows() > 0 {
				to[r] = Bytes(partOf(x, have[me], s))
			}
		}
		for r, b := range c.Alltoall(to) {
			if s := sent[r].and(want[me]); s.Rows() > 0 {
				copy(partOf(own, want[me], s), Numbers[T](b))
			}
		}
	}
}

// Scatter returns the own elements of this rank, given all elements on rank 0. It is collective.
func Scatter[T int64 | float64](c Comm, d Domains, all []T) []T {
	have := make([]Span, c.Size())
	have[0].End = d.Rows()
	return Redistribute(c, all, have, d.Spans(c.Size()))
}
