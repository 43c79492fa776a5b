package adaptive

// unitRoundoff is the unit roundoff of FP64, in which products are computed.
const unitRoundoff = 0x1p-53

// Bound holds the largest errors, relative to T_i (for NW to ||A||_inf).
type Bound struct {
	Storage float64 // sum_j |delta a_ij| / T_i
	Product float64 // |y_i - (A x)_i| / (T_i ||x||_inf)
}

// Bound returns the error bounds of a matrix stored as the spec says, whose
// rows have at most p nonzeros, in that many buckets. Truncation, in paper-exact
// mode, may err by a whole unit in the last place, twice what rounding does.
func (s Spec) Bound(p, buckets int) Bound {
	eps := s.Epsilon
	if s.PaperExact {
		eps *= 2
	}
	terms := float64(p)
	return Bound{
		Storage: terms * eps,
		Product: terms*(eps+unitRoundoff) + float64(max(buckets, 1)-1)*unitRoundoff,
	}
}
