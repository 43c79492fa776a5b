package choice

import "github.com/mpsolve/mpsolve/internal/solver/rules"

// Early reports whether a fallback comes before the others because complete factors cost little.
func (v Variant) Early() bool { return v.Complete() && v.Most > rules.LittleWork }

// fewProducts reports whether few products are expected: complete factors come first, or after probe runs, and are not expected to
// be refused.
func (s *System) fewProducts(fallbacks []Fallback) bool {
	for _, r := range fallbacks {
		switch {
		case r.ProbeRun:
		case r.Early():
			return !s.Refused(s.Shape())
		default:
			return r.Complete() && s.Small()
		}
	}
	return false
}
