package reproduce

import (
	"context"
	"fmt"
	"slices"

	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/agata"
)

// Labels of the experiments of AGATA; the label of precisions is precision.
const (
	algorithmLabel = "algorithm"
	tableLabel     = "table"
	channelsLabel  = "channels"
	distanceLabel  = "distance"
	energyLabel    = "energy"
)

// searchLabels returns the labels of a search.
func searchLabels() []label {
	return []label{
		{algorithmLabel, string(agata.Full), oneOf(words(agata.Algorithms)...)},
		{tableLabel, string(agata.NoTable), oneOf(words(agata.Tables)...)},
		{precisionLabel, string(agata.FP32), oneOf(words(agata.Precisions)...)},
		{channelsLabel, "2", oneOf("2", "6", "37")},
	}
}

func (p point) search() agata.Config {
	return agata.Config{
		Algorithm: agata.Algorithm(p[algorithmLabel]), Table: agata.Table(p[tableLabel]), Precision: agata.Precision(p[precisionLabel]),
	}
}

// isSearch reports whether a combination of labels exists.
func isSearch(p point) bool { return p.search().Validate() == nil }

// Numbers of events of a full run, as in [Molina24], and of a quick one.
const (
	agataEvents      = 5342
	agataQuickEvents = 300
	agataDigitEvents = 1000 // with random rounding, at most
	agataSeed        = 1
)

// agataSignals simulates a detector and runs the searches in its signals. Each part is made once in a run.
type agataSignals struct {
	detector *agata.Detector
	sets     map[string]*agataSet // by channels
}

// agataSet holds the signals of some channels.
type agataSet struct {
	basis  *agata.Basis
	events []agata.Event
	found  map[agata.Config][]agata.Found
}

// set returns the signals of some channels and simulates them if they are missing. It does not keep the signals of
// all channels, which are large.
func (a *agataSignals) set(ctx context.Context, in input, channels string) (*agataSet, error) {
	if set := a.sets[channels]; set != nil {
		return set, nil
	}
	progress := func(_ float64, text string) { in.progress(text) }
	opt := agata.Options{Threads: in.pool.Threads(), Progress: progress}
	events := agataEvents
	if in.quick {
		opt.Spacing, events = 3, agataQuickEvents
	}
	if a.detector == nil {
		d, err := agata.NewCrystal(ctx, opt)
		if err != nil {
			return nil, err
		}
		a.detector, a.sets = d, map[string]*agataSet{}
	}
	large := channels == "37"
	if large {
		events = timedEvents
	}
	s := agata.Simulation{Detector: a.detector, Channels: agata.Channels[channels], Pool: in.pool, Progress: progress}
	set := &agataSet{found: map[agata.Config][]agata.Found{}}
	var err error
	if set.basis, err = s.Basis(ctx); err != nil {
		return nil, err
	}
	if set.events, err = s.Events(ctx, events, agataSeed, agata.Typical); err != nil {
		return nil, err
	}
	if !large {
		a.sets[channels] = set
	}
	return set, nil
}

// search runs the search of a point and the reference search.
func (a *agataSignals) search(ctx context.Context, in input, p point) (set *agataSet, found, reference []agata.Found, err error) {
	if set, err = a.set(ctx, in, p[channelsLabel]); err != nil {
		return nil, nil, nil, err
	}
	for _, c := range []agata.Config{agata.Reference, p.search()} {
		if set.found[c] != nil {
			continue
		}
		s, err := agata.New(set.basis, c)
		if err != nil {
			return nil, nil, nil, err
		}
		found, err := s.All(ctx, set.events, in.pool, func(float64) { in.progress(fmt.Sprint(c)) })
		if err != nil {
			return nil, nil, nil, err
		}
		set.found[c] = found
	}
	return set, set.found[p.search()], set.found[agata.Reference], nil
}

// agataSearches is the kind of measurement of how well a search agrees with the full search in FP32.
func agataSearches() kind {
	return kind{
		name: "agata", text: "a search for interactions in a simulated detector: how many points equal those of the full search in FP32",
		labels: searchLabels(), exists: isSearch, detector: true,
		values: []string{"identical", "within5", "beyond20", "true5", "true_distance", "tried"},
		cost:   func(point, float64) float64 { return 1 },
		measure: func(ctx context.Context, in input, points []point) error {
			p := points[0]
			set, found, reference, err := in.agata.search(ctx, in, p)
			if err != nil {
				return err
			}
			a := set.basis.Compare(set.events, found, reference)
			tried := 0.0
			for _, f := range found {
				tried += float64(f.Tried) / float64(len(found))
			}
			return in.emit(p, result{values: map[string]float64{
				"identical": a.Identical, "within5": a.Within5, "beyond20": a.Beyond20,
				"true5": a.True5, "true_distance": a.True, "tried": tried,
			}})
		},
	}
}

// class has the numbers up to a limit and above the limit of the class before it.
type class struct {
	name  string
	limit float64
}

var (
	distanceClasses = []class{{"3 mm", 3}, {"5 mm", 5}, {"10 mm", 10}, {"20 mm", 20}, {"more", 1e9}}
	energyClasses   = []class{{"50 keV", 50}, {"200 keV", 200}, {"1 MeV", 1000}, {"5 MeV", 1e9}}
)

// agataClasses is a kind of measurement of the points that a search finds differently from the full search in FP32,
// by classes of a number.
func agataClasses(name, text, labelName string, classes []class, of func(s *agataSet, k int, found, reference agata.Found) float64) kind {
	var names []string
	for _, c := range classes {
		names = append(names, c.name)
	}
	return kind{
		name: name, text: text,
		labels: append(searchLabels(), label{labelName, names[0], oneOf(names...)}), exists: isSearch, detector: true,
		values:   []string{"unfaithful", "events"},
		cost:     func(point, float64) float64 { return 1 },
		together: but(labelName),
		measure: func(ctx context.Context, in input, points []point) error {
			set, found, reference, err := in.agata.search(ctx, in, points[0])
			if err != nil {
				return err
			}
			events, unfaithful := make([]float64, len(classes)), make([]float64, len(classes))
			for k := range found {
				x := of(set, k, found[k], reference[k])
				i := slices.IndexFunc(classes, func(c class) bool { return x <= c.limit })
				events[i] += 1 / float64(len(found))
				if found[k].Point != reference[k].Point {
					unfaithful[i] += 1 / float64(len(found))
				}
			}
			for _, p := range points {
				i := slices.Index(names, p[labelName])
				if err := in.emit(p, result{values: map[string]float64{"events": events[i], "unfaithful": unfaithful[i]}}); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// agataDistances is the kind of measurement of figure 5.1 of [Molina24].
func agataDistances() kind {
	return agataClasses("agata-distances", "the distances between its points and those of the full search in FP32", distanceLabel, distanceClasses,
		func(s *agataSet, k int, found, reference agata.Found) float64 {
			return s.basis.Apart(s.events[k], found, reference)
		})
}

// agataEnergies is the kind of measurement of figure 5.2 of [Molina24].
func agataEnergies() kind {
	return agataClasses("agata-energies", "the energies of events whose points differ from the full search in FP32", energyLabel, energyClasses,
		func(s *agataSet, k int, _, _ agata.Found) float64 { return s.events[k].Energy })
}

// agataDigits is the kind of measurement of the full search with random rounding.
func agataDigits() kind {
	return kind{
		name: "agata-digits", text: "the full search in FP32 with random rounding, three times (CESTAC)",
		detector: true,
		values:   []string{"digits", "digits_least", "changed"},
		cost:     func(point, float64) float64 { return 5 },
		measure: func(ctx context.Context, in input, points []point) error {
			set, err := in.agata.set(ctx, in, "2")
			if err != nil {
				return err
			}
			s, err := agata.Stochastic(ctx, set.basis, set.events[:min(len(set.events), agataDigitEvents)], in.pool, func(float64) { in.progress("random rounding") })
			if err != nil {
				return err
			}
			return in.emit(points[0], result{values: map[string]float64{"digits": s.Digits, "digits_least": s.Least, "changed": s.Changed}})
		},
	}
}

// agataTimes is the kind of measurement of the time of a search on one thread. With all channels the basis is larger
// than most caches.
func agataTimes() kind {
	return kind{
		name: "agata-time", text: "the time of a search for an event on one thread",
		labels: searchLabels(), exists: isSearch, detector: true,
		values:   append([]string{"event_seconds", "time_fgs", "bytes"}, quartiles("time_fgs")...),
		cost:     func(point, float64) float64 { return 1 },
		together: func(p point) string { return p[channelsLabel] },
		measure:  timeSearches,
	}
}

// timedEvents is the number of events that are timed together: with all channels they visit most of the basis.
const timedEvents = 36

func timeSearches(ctx context.Context, in input, points []point) error {
	set, err := in.agata.set(ctx, in, points[0][channelsLabel])
	if err != nil {
		return err
	}
	events := set.events[:timedEvents]
	one := parallel.New(1)
	defer one.Close()
	var cases []lab.Case
	for _, c := range append([]agata.Config{agata.Reference}, searches(points)...) {
		s, err := agata.New(set.basis, c)
		if err != nil {
			return err
		}
		cases = append(cases, lab.Case{Run: func() { _, _ = s.All(ctx, events, one, nil) }}) // Measure checks ctx
	}
	times, err := in.timing().Measure(ctx, cases...)
	if err != nil {
		return err
	}
	for k, p := range points {
		values := map[string]float64{"event_seconds": times[k+1].Median / timedEvents, "bytes": float64(set.basis.Bytes())}
		relative(values, "time_fgs", times[k+1], times[0])
		if err := in.emit(p, result{values: values}); err != nil {
			return err
		}
	}
	return nil
}

func searches(points []point) (list []agata.Config) {
	for _, p := range points {
		list = append(list, p.search())
	}
	return list
}
