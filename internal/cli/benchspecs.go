package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
)

// specs returns all valid combinations of the lists, for each set of kernels. It writes a line to notes for each invalid one.
func (f *benchSpMVFlags) specs(notes io.Writer) (specs []adaptive.Spec, err error) {
	combinations, err := f.combinations(notes)
	if err != nil {
		return nil, err
	}
	sets, err := kernelSets(f.kernels)
	if err != nil {
		return nil, err
	}
	for _, k := range sets {
		m, err := modelOf(k)
		if err != nil {
			return nil, err
		}
		for _, spec := range combinations {
			spec.Kernels, spec.Model = k.String(), m
			specs = append(specs, spec)
		}
	}
	return specs, nil
}

// kernelSets returns the sets of kernels that --kernels names; without names the default one.
func kernelSets(names []string) (sets []*kernels.Set, err error) {
	for _, name := range names {
		k := kernels.Find(name)
		switch {
		case name == "all":
			sets = append(sets, kernels.Sets()...)
		case k != nil:
			sets = append(sets, k)
		case slices.Contains(kernels.Names(), name):
			return nil, usage("--kernels %s: this processor has %s", name, english.OxfordWordSeries(setNames(), "and"))
		default:
			return nil, usage("--kernels %s: not one of %s", name, strings.Join(kernels.Names(), ", "))
		}
	}
	if len(sets) == 0 {
		return []*kernels.Set{kernels.Default()}, nil
	}
	return sets, nil
}

// setNames returns the names of the sets of kernels that this processor has.
func setNames() (names []string) {
	for _, k := range kernels.Sets() {
		names = append(names, k.String())
	}
	return names
}

// combinations returns all valid combinations of formats, layouts and accuracies. A single format has no epsilon and no
// criterion, and is measured once.
func (f *benchSpMVFlags) combinations(notes io.Writer) (specs []adaptive.Spec, err error) {
	accuracies, err := f.accuracies()
	if err != nil {
		return nil, err
	}
	for _, name := range f.formats {
		set, err := adaptive.LookupSet(name)
		if err != nil {
			return nil, usage("--formats: %v", err)
		}
		list := f.layouts
		if slices.Contains(list, "all") {
			list = layouts
		}
		for _, layout := range list {
			if err := oneOf("layout", &layout, layouts); err != nil {
				return nil, err
			}
			for k, spec := range accuracies {
				if set.Uniform && k > 0 {
					break
				}
				spec.Set = set
				if layout != "auto" {
					spec.Layout = adaptive.Layout(layout)
				}
				if err := spec.Validate(); err != nil {
					fmt.Fprintf(notes, "mpsolve: %s, %s is left out: %s\n", spec, layout, oneLine(err))
					continue
				}
				specs = append(specs, spec)
			}
		}
	}
	return specs, nil
}

// accuracies returns each epsilon with each criterion.
func (f *benchSpMVFlags) accuracies() (specs []adaptive.Spec, err error) {
	epsilon, err := accuracies(f.epsilon)
	if err != nil {
		return nil, err
	}
	for _, e := range epsilon {
		for _, c := range f.criteria {
			if err := oneOf("criterion", &c, adaptive.Criteria); err != nil {
				return nil, err
			}
			specs = append(specs, adaptive.Spec{Epsilon: e, Criterion: adaptive.Criterion(c)})
		}
	}
	return specs, nil
}
