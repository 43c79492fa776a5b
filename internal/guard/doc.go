// Package guard gives tests memory between pages that must not be touched, to show
// that assembly stays inside its slices.
package guard
