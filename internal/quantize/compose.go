package quantize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/formats"
)

// dropWord stands in a list of formats for dropping what is below epsilon T.
const dropWord = "drop"

// compose returns the set of a list such as FP64,FP32,FP16,drop, in any order; + replaces the commas where commas
// separate several lists. The list is the name of the set. Without dropWord no element is dropped.
//
// It returns an error if the list lacks FP64, which takes the elements that need it, if two formats have the same
// significand, or if the list contains AFX, which is a set by itself.
func compose(list string) (Set, error) {
	s := Set{Keeps: true}
	for _, name := range strings.Split(strings.ReplaceAll(list, "+", ","), ",") {
		name = strings.TrimSpace(name)
		if strings.EqualFold(name, dropWord) {
			s.Keeps = false
			continue
		}
		f, err := formats.Lookup(name)
		switch {
		case err != nil:
			return Set{}, err
		case f.Kind == formats.Fixed:
			return Set{}, fmt.Errorf("%s is part of the set AFX, not of a list", f.Name)
		}
		s.Formats = append(s.Formats, f)
	}
	slices.SortStableFunc(s.Formats, func(a, b formats.Format) int { return cmp.Compare(b.Significand, a.Significand) })
	if len(s.Formats) == 0 || s.Formats[0].Name != "FP64" {
		return Set{}, fmt.Errorf("%s: want FP64 among the formats, for what needs it", list)
	}
	for k, f := range s.Formats[1:] {
		if before := s.Formats[k]; before.Significand == f.Significand {
			return Set{}, fmt.Errorf("%s: %s and %s have the same significand", list, before.Name, f.Name)
		}
	}
	for _, f := range s.Formats {
		s.Name += f.Name + ","
	}
	if s.Name = strings.TrimSuffix(s.Name, ","); !s.Keeps {
		s.Name += "," + dropWord
	}
	return s, nil
}
