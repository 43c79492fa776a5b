// Package records holds the tables and figures of the papers as data, a YAML file for each (docs/reproduction.md
// explains how to write one), and keeps their measurements.
package records

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml
var files embed.FS

// groupsFile lists names of matrices by group.
const groupsFile = "groups.yaml"

// Words is a list of words; a single word may stand without brackets.
type Words []string

// UnmarshalYAML reads either form.
func (w *Words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = Words{node.Value}
		return nil
	}
	var list []string
	err := node.Decode(&list)
	*w = list
	return err
}

// All returns the experiments of the papers, ordered by ID.
func All() ([]Experiment, error) {
	var list []Experiment
	for _, id := range IDs() {
		name := id + ".yaml"
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		e, err := Parse(name, text)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// IDs returns the IDs of all experiments in order, the names of their files.
func IDs() (ids []string) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil { // an invalid pattern
		panic(err)
	}
	for _, name := range names {
		if name != groupsFile && name != claimsFile {
			ids = append(ids, strings.TrimSuffix(name, ".yaml"))
		}
	}
	slices.SortFunc(ids, compareIDs)
	return ids
}

// Parse reads the experiment in a file; its errors name the line.
func Parse(name string, text []byte) (Experiment, error) {
	e := Experiment{ID: strings.TrimSuffix(path.Base(name), ".yaml")}
	groups, err := Groups()
	if err != nil {
		return e, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&e); err != nil {
		return e, fmt.Errorf("%s: %s", name, strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", ""))
	}
	for i := range e.Measure {
		if e.Measure[i].Matrices, err = groups.expand(e.Measure[i].Matrices); err != nil {
			return e, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, v := range e.Views {
		if v.Where["matrix"] == nil {
			continue
		}
		if v.Where["matrix"], err = groups.expand(v.Where["matrix"]); err != nil {
			return e, fmt.Errorf("%s: view %s: %w", name, v.Name, err)
		}
	}
	if err := e.validate(); err != nil {
		return e, fmt.Errorf("%s: %w", name, err)
	}
	return e, nil
}

// GroupsByName maps the name of a group to the names of its matrices.
type GroupsByName map[string][]string

// Groups returns the groups of matrices that experiments may name.
func Groups() (GroupsByName, error) {
	text, err := files.ReadFile(groupsFile)
	if err != nil {
		return nil, err
	}
	var g GroupsByName
	if err := yaml.Unmarshal(text, &g); err != nil {
		return nil, fmt.Errorf("%s: %w", groupsFile, err)
	}
	return g, nil
}

// expand replaces @group by the names of the group, in their order, and drops repeated names.
func (g GroupsByName) expand(names []string) (all []string, err error) {
	add := func(name string) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, name := range names {
		group, isGroup := strings.CutPrefix(name, "@")
		if !isGroup {
			add(name)
			continue
		}
		if g[group] == nil {
			return nil, fmt.Errorf("there is no group of matrices %s", name)
		}
		for _, member := range g[group] {
			add(member)
		}
	}
	return all, nil
}

var word = regexp.MustCompile(`^[A-Za-z0-9]+$`)

// validate reports every fault that can be found without the kinds of measurements.
func (e Experiment) validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for _, field := range []struct{ name, text string }{{"paper", e.Paper}, {"source", e.Source}, {"title", e.Title}, {"shows", e.Shows}} {
		if field.text == "" {
			fault("%s is missing", field.name)
		}
	}
	if len(e.Measure) == 0 || len(e.Views) == 0 {
		fault("want something to measure, and a view")
	}
	for i, v := range e.Views {
		if !word.MatchString(v.Name) || slices.ContainsFunc(e.Views[:i], func(w View) bool { return w.Name == v.Name }) {
			fault("view %q: want a unique name of letters and digits", v.Name)
		}
		if err := v.validate(e); err != nil {
			fault("view %s: %w", v.Name, err)
		}
	}
	for _, p := range e.Published {
		for _, row := range p.Rows {
			if len(row) != len(p.Labels)+len(p.Values) {
				fault("published %v: want %d labels and values", row, len(p.Labels)+len(p.Values))
				continue
			}
			for _, number := range row[len(p.Labels):] {
				if _, ok := Number(number); !ok && number != NotAvailable {
					fault("published %v: %s is neither a number nor %s", row, number, NotAvailable)
				}
			}
		}
	}
	return errors.Join(faults...)
}

func (v View) validate(e Experiment) error {
	if len(v.Values) == 0 && (v.Figure == nil || v.Figure.Kind != History) {
		return errors.New("want values")
	}
	for _, value := range v.Values {
		if !slices.Contains(e.Comparable, value) && !slices.Contains(e.Ratios, value) {
			return fmt.Errorf("%s is neither in comparable nor in ratios", value)
		}
	}
	f := v.Figure
	if f == nil {
		return nil
	}
	if !slices.Contains(Kinds, f.Kind) {
		return fmt.Errorf("unknown kind of figure %q", f.Kind)
	}
	if f.Kind == History && (f.X.Series == "" || f.Y.Series == "") {
		return errors.New("a history needs the series of x and y")
	}
	if f.Kind == Lines && len(v.Rows) != 1 {
		return errors.New("lines need one label as rows, a number")
	}
	if f.Panels != "" && !slices.Contains(v.Rows, f.Panels) && !slices.Contains(v.Columns, f.Panels) {
		return fmt.Errorf("panels %s: not one of the rows and columns", f.Panels)
	}
	for _, label := range slices.Concat(slices.Collect(maps.Keys(f.Where)), slices.Collect(maps.Keys(f.Relative))) {
		if !slices.Contains(v.Rows, label) && !slices.Contains(v.Columns, label) {
			return fmt.Errorf("figure: %s: not one of the rows and columns", label)
		}
	}
	return nil
}

// Number reads a published number, such as 0.6, 1e-10 or 2^-24.
func Number(text string) (x float64, ok bool) {
	exponent, power := strings.CutPrefix(text, "2^")
	x, err := strconv.ParseFloat(exponent, 64)
	if power {
		x = math.Exp2(x)
	}
	return x, err == nil
}

var digits = regexp.MustCompile(`[0-9]+`)

// compareIDs sorts figure 3.10 after figure 3.2.
func compareIDs(a, b string) int {
	pad := func(s string) string {
		return digits.ReplaceAllStringFunc(s, func(n string) string { return fmt.Sprintf("%6s", n) })
	}
	return strings.Compare(pad(a), pad(b))
}
