package reproduce

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// task is a group of measurements with one matrix.
type task struct {
	kind   kind
	source source // zero where the kind needs no matrix
	points []point
	quick  bool
}

// Complete returns the experiment with every label in its grids and the numbers of threads for machines of so many
// cores, as records of its measurements have them. The error names the first label or value that does not exist.
func Complete(e records.Experiment, cores ...int) (records.Experiment, error) {
	e.Measure = slices.Clone(e.Measure)
	for i := range e.Measure {
		if err := complete(&e.Measure[i], cores); err != nil {
			return e, fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	return e, known(e)
}

// known checks that the labels and values that an experiment names exist.
func known(e records.Experiment) error {
	labels := map[string]string{} // label, and where it is named
	for _, v := range e.Views {
		for _, name := range slices.Concat(v.Rows, v.Columns, slices.Collect(maps.Keys(v.Where))) {
			labels[name] = "view " + v.Name
		}
	}
	values := slices.Concat(e.Comparable, e.Ratios)
	for _, p := range e.Published {
		for _, name := range p.Labels {
			labels[name] = "published"
		}
		values = append(values, p.Values...)
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if !e.HasLabel(name) {
			return fmt.Errorf("%s: %s: no measurement has the label %q", e.ID, labels[name], name)
		}
	}
	for _, name := range values {
		if !measures(e, name) {
			return fmt.Errorf("%s: no measurement has the value %q", e.ID, name)
		}
	}
	return nil
}

// measures reports whether measurements of e can have a value of that name.
func measures(e records.Experiment, value string) bool {
	return slices.ContainsFunc(e.Measure, func(g records.Grid) bool {
		k, err := findKind(g.Kind)
		return err == nil && k.has(value)
	})
}

// complete fills in the defaults of the labels that a grid leaves out.
func complete(g *records.Grid, cores []int) error {
	k, err := findKind(g.Kind)
	if err != nil {
		return err
	}
	if k.matrix == (len(g.Matrices) == 0) {
		return fmt.Errorf("%s: matrices are wanted: %t, given: %d", k.name, k.matrix, len(g.Matrices))
	}
	given := g.Labels
	g.Labels = map[string]records.Words{}
	var names []string
	for _, l := range k.labels {
		names = append(names, l.name)
		words := given[l.name]
		if words == nil {
			words = records.Words{l.value}
		}
		if l.name == threadsLabel {
			words = countThreads(words, cores...)
		}
		for _, w := range words {
			if err := l.check(w); err != nil {
				return fmt.Errorf("%s: label %s: %w", k.name, l.name, err)
			}
		}
		g.Labels[l.name] = words
	}
	for name := range given {
		if g.Labels[name] == nil {
			return fmt.Errorf("%s has no label %q; did you mean %s?", k.name, name, host.NearestWord(name, names))
		}
	}
	return nil
}

// threadsLabel is the number of threads. The word all stands for the number of cores; each stands for every number
// from 1 to that, doubling above 8.
const threadsLabel = "threads"

func countThreads(words records.Words, cores ...int) (list records.Words) {
	add := func(threads int) {
		if w := strconv.Itoa(threads); !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	for _, w := range words {
		switch w {
		case "all":
			for _, c := range cores {
				add(c)
			}
		case "each":
			for _, c := range cores {
				for t := 1; t < c; t = nextThreads(t) {
					add(t)
				}
				add(c)
			}
		default:
			list = append(list, w)
		}
	}
	return list
}

func nextThreads(t int) int {
	if t < 8 {
		return t + 1
	}
	return 2 * t
}

// plan lists the tasks of a completed experiment. In absent it describes what cannot be measured here: matrices that
// are neither in the folder nor have a surrogate, and what the machine does not support.
func plan(e records.Experiment, opt Options) (tasks []task, absent []string, err error) {
	for _, g := range e.Measure {
		if g.Full && opt.Quick {
			continue
		}
		k, err := findKind(g.Kind)
		if err != nil {
			return nil, nil, err
		}
		if k.available != nil {
			if err := k.available(); err != nil {
				absent = append(absent, err.Error())
				continue
			}
		}
		points := k.points(g.Labels)
		if !k.matrix {
			tasks = append(tasks, task{kind: k, points: points, quick: opt.Quick})
			continue
		}
		for _, name := range g.Matrices {
			s, ok, err := opt.source(name, int64(g.Nonzeros.Of(opt.Quick, opt.Environment.LLCBytes)))
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", e.ID, err)
			}
			if !ok {
				absent = append(absent, name+": neither in the folder of matrices nor with a surrogate")
				continue
			}
			tasks = append(tasks, task{kind: k, source: s, points: points, quick: opt.Quick})
		}
	}
	return tasks, absent, nil
}

// points returns all existing combinations of the labels.
func (k kind) points(labels map[string]records.Words) []point {
	list := []point{{}}
	for _, l := range k.labels {
		var next []point
		for _, p := range list {
			for _, w := range labels[l.name] {
				q := maps.Clone(p)
				q[l.name] = w
				next = append(next, q)
			}
		}
		list = next
	}
	if k.exists == nil {
		return list
	}
	return slices.DeleteFunc(list, func(p point) bool { return !k.exists(p) })
}

// record returns the record of a point without results.
func (t task) record(p point, opt Options) records.Record {
	r := records.Record{Kind: t.kind.name, Quick: opt.Quick, Labels: p, Environment: opt.Environment}
	if t.kind.matrix {
		r.Matrix = &records.Matrix{Name: t.source.name, Surrogate: t.source.surrogate, Source: t.source.text}
	}
	return r
}

// missing returns the points whose keys are not in made, and adds these keys to made.
func (t task) missing(opt Options, made map[string]bool) []point {
	return slices.DeleteFunc(slices.Clone(t.points), func(p point) bool {
		r := t.record(p, opt)
		key := r.Key()
		was := made[key]
		made[key] = true
		return was
	})
}
