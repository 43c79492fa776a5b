package krylov

import "math"

// slack is how inaccurate the products of a cycle of GMRES, and the vectors of its basis, may be.
//
// With A v_j + f_j in place of A v_j, the residual that the cycle knows and the true residual of its x differ by
// sum f_j y_j at most, and |y_j| falls as the residual before step j does: ([SimonciniSzyld03], [Eshof04],
// [Gratton19])
//
//	||f_j|| <= eta ||r_0|| / ||r_j||
//
// keeps it near eta ||r_0||. A vector of the basis that is off by as much, relative to ||A||, does no more
// harm. eta is a part of what the cycle may reduce the residual to: what the tolerance asks for, or,
// if that is less, what the rate of the last cycle promises. A cycle whose x does not have the residual
// that it knows makes eta smaller for those that follow.
type slack struct {
	eta, start float64 // of the cycle; start is ||r_0||
	rate       float64 // reduction of the last cycle for each step; 0: there was none
	caution    float64 // eta is divided by 2^caution
}

const (
	slackShare = 0x1p-8 // eta relative to the reduction
	mostSlack  = 0x1p-8
	deceived   = 2 // true residual relative to the known one, beyond which eta was too large
	moreCare   = 8 // by which caution grows then
)

// begin begins a cycle of that many steps from ||r_0|| = start.
func (s *slack) begin(start, target float64, steps int) {
	s.start = start
	goal := target / start
	if s.rate > 0 {
		goal = max(goal, math.Pow(s.rate, float64(steps)))
	}
	s.eta = slackShare * min(goal, 1) * math.Exp2(-s.caution)
}

// at returns what may be off where the residual is known to be rnorm, relative to ||A||.
func (s *slack) at(rnorm float64) float64 { return min(s.eta*s.start/rnorm, mostSlack) }

// learn looks back at a cycle of that many steps from start to a residual rnorm, which it knew as
// known.
func (s *slack) learn(start, rnorm, known float64, steps int) {
	if !(rnorm <= deceived*known) && !(rnorm <= s.eta*start) {
		s.caution += moreCare
	}
	if rate := math.Pow(min(rnorm, known)/start, 1/float64(steps)); rate < 1 {
		s.rate = rate
	}
}
