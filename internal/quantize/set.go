package quantize

import (
	"fmt"
	"strings"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/formats"
)

// Set is the set of formats in which the elements of a matrix are stored.
type Set struct {
	Name    string
	Formats []formats.Format // from the widest to the narrowest
	Uniform bool             // one format for all elements; none is dropped
	Keeps   bool             // no element is dropped, as with Spec.NoDrop
}

// The sets of [Molina24] (thesis sections 3.4 and 4.3) and AFX.
var sets = []Set{
	define("AP1", "FP64"),
	define("AP2", "FP64 FP32"),
	define("AP3", "FP64 FP32 BF16"),
	define("AP4", "FP64 RP48 FP32 RP16"),
	define("AP7", "FP64 RP56 RP48 RP40 FP32 RP24 RP16"),
	define("AP7RE", "FP64 RPRE48 RPRE40 RPRE32 FP32 RPRE16 RPRE8"),
	define("AP7REU", "FP64 RPREU48 RPREU40 RPREU32 FP32 RPREU16 RPREU8"),
	define("AFX", "FP32 AFX56 AFX48 AFX40 AFX32 AFX24 AFX16 AFX8"), // FP32 for elements that must not be dropped
}

func define(name, list string) Set {
	s := Set{Name: name}
	for _, f := range strings.Fields(list) {
		s.Formats = append(s.Formats, formats.MustLookup(f))
	}
	return s
}

// Sets lists the sets of several formats.
func Sets() []Set { return append([]Set(nil), sets...) }

// Names lists the names that LookupSet knows.
func Names() []string {
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
	}
	for _, f := range formats.All() {
		names = append(names, f.Name)
	}
	return names
}

// LookupSet returns the set of that name. The name of a format stands for that format alone; a list such as
// FP64,FP32,FP16,drop or FP64+FP32+FP16+drop stands for the set of these formats, which drops elements below epsilon
// T if the list contains drop. Case does not matter. The error names all sets.
func LookupSet(name string) (Set, error) {
	if strings.ContainsAny(name, ",+") {
		return compose(name)
	}
	for _, s := range sets {
		if strings.EqualFold(s.Name, name) {
			return s, nil
		}
	}
	if f, err := formats.Lookup(name); err == nil {
		return Set{Name: f.Name, Formats: []formats.Format{f}, Uniform: true}, nil
	}
	return Set{}, fmt.Errorf("unknown format or set %q; did you mean %s? There are %s", name, host.NearestWord(name, Names()), strings.Join(Names(), ", "))
}

// setKind is how a set assigns its elements to formats.
type setKind int

const (
	heads setKind = iota // floating-point formats without a reduced exponent
	relative
	fixedPoint
)

// kind returns the kind of the set's narrowest format.
func (s Set) kind() setKind {
	if len(s.Formats) == 0 {
		return heads
	}
	switch s.Formats[len(s.Formats)-1].Kind {
	case formats.Relative:
		return relative
	case formats.Fixed:
		return fixedPoint
	}
	return heads
}
