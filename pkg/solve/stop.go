package solve

import "github.com/mpsolve/mpsolve/pkg/verify"

// Of returns the error that the criterion bounds.
func (s Stop) Of(e verify.Errors) float64 {
	switch s {
	case StopNW:
		return e.Normwise
	case StopCW:
		return e.Componentwise
	case StopRel:
		return e.RelativeResidual
	default:
		return e.Row
	}
}
