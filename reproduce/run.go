package reproduce

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// Options configure a run.
type Options struct {
	Quick       bool
	Matrices    string        // folder with the papers' matrices; "": none
	Budget      time.Duration // for all experiments; 0: no limit
	MaxMemory   int64         // of a matrix, in bytes; 0: no limit
	Environment host.Environment

	Progress func(Progress)        // called as measurements are made; may be nil
	Note     func(id, what string) // called with what an experiment leaves out, and why; may be nil
}

// Progress is the progress of a run.
type Progress struct {
	Experiment string
	Text       string        // what is being measured
	Done       float64       // part of all work, by expected time
	Left       time.Duration // expected
}

// Lacking describes, by ID, which measurements of completed experiments are missing among the records of all
// machines: those of a full run, or of a quick one if there are no others.
func Lacking(list []records.Experiment, opt Options, measured []records.Record) (map[string][]string, error) {
	made, caches := map[string]bool{}, []int64{opt.Environment.LLCBytes}
	for _, r := range measured {
		made[anywhere(r)] = true
		if llc := r.Environment.LLCBytes; !slices.Contains(caches, llc) {
			caches = append(caches, llc)
		}
	}
	all := map[string][]string{}
	for _, e := range list {
		opt.Quick = false
		missing, points, absent, err := lacks(e, opt, caches, made)
		var lacking []string
		if err == nil && missing == points {
			opt.Quick = true
			missing, points, absent, err = lacks(e, opt, caches, made)
			if missing < points {
				lacking = append(lacking, "a full run; these are measurements of a quick one")
			}
		}
		if err != nil {
			return nil, err
		}
		lacking = append(lacking, absent...)
		switch {
		case missing > 0 && missing == points:
			lacking = append(lacking, "no run, or not enough time")
		case missing > 0:
			lacking = append(lacking, fmt.Sprintf("%d of %d measurements: no run, or not enough time", missing, points))
		}
		all[e.ID] = lacking
	}
	return all, nil
}

// lacks counts the points that no machine has measured. Where sizes depend on the last-level cache, it takes the
// cache, among caches, for which the fewest points are missing.
func lacks(e records.Experiment, opt Options, caches []int64, made map[string]bool) (missing, all int, absent []string, err error) {
	missing = math.MaxInt
	for _, llc := range caches {
		opt.Environment.LLCBytes = llc
		tasks, without, err := plan(e, opt)
		if err != nil {
			return 0, 0, nil, err
		}
		here, points := 0, 0
		for _, t := range tasks {
			for _, p := range t.points {
				points++
				r := t.record(p, opt)
				file := r
				file.Matrix = &records.Matrix{Name: t.source.name}
				if !made[anywhere(r)] && !made[anywhere(file)] {
					here++
				}
			}
		}
		if here < missing {
			missing, all, absent = here, points, without
		}
	}
	return missing, all, absent, nil
}

// anywhere returns the key of a record without its machine; all files of a real matrix have the same key.
func anywhere(r records.Record) string {
	r.Environment = host.Environment{}
	if r.Matrix != nil && !r.Matrix.Surrogate {
		r.Matrix = &records.Matrix{Name: r.Matrix.Name}
	}
	return r.Key()
}

// Expected returns about how long the missing measurements of completed experiments take; shared ones count once.
func Expected(list []records.Experiment, opt Options, store *records.Store) (time.Duration, error) {
	total, made := 0.0, store.Keys()
	for _, e := range list {
		tasks, _, err := plan(e, opt)
		if err != nil {
			return 0, err
		}
		total += expected(tasks, opt, made)
	}
	return time.Duration(total * float64(time.Second)), nil
}

// expected returns about how many seconds the measurements take whose keys are not in made, and adds these keys to
// made.
func expected(tasks []task, opt Options, made map[string]bool) (total float64) {
	for _, t := range tasks {
		total += t.cost(t.missing(opt, made))
	}
	return total
}

// cost returns about how many seconds the measurements take on two cores of Zen 5, as a full run took them.
func (t task) cost(points []point) float64 {
	if len(points) == 0 {
		return 0
	}
	total := t.source.cost()
	for _, p := range points {
		if limit, err := strconv.Atoi(p["max_iter"]); err == nil && t.quick {
			p = maps.Clone(p)
			p["max_iter"] = strconv.Itoa(min(limit, quickIterations))
		}
		total += t.kind.cost(p, float64(t.source.nnz))
	}
	return total
}

// Run makes the missing measurements of completed experiments. It starts no more when the budget is used up; each
// experiment may take an equal part of what the experiments before it have left. Run returns early with the error of
// ctx.
func Run(ctx context.Context, list []records.Experiment, opt Options, store *records.Store) error {
	if opt.Progress == nil {
		opt.Progress = func(Progress) {}
	}
	if opt.Note == nil {
		opt.Note = func(string, string) {}
	}
	r := runner{Options: opt, store: store, pool: parallel.New(opt.Environment.Cores), start: time.Now()}
	defer r.pool.Close()
	made := store.Keys()
	absent := make([][]string, len(list))
	r.tasks = make([][]task, len(list))
	for i, e := range list {
		var err error
		if r.tasks[i], absent[i], err = plan(e, opt); err != nil {
			return err
		}
		r.todo += expected(r.tasks[i], opt, made)
	}
	for i, e := range list {
		r.experiment = e.ID
		if opt.Budget > 0 {
			left := opt.Budget - time.Since(r.start)
			r.until = time.Now().Add(left / time.Duration(len(list)-i))
		}
		for _, what := range absent[i] {
			r.Note(e.ID, what)
		}
		if err := r.run(ctx, r.tasks[i]); err != nil {
			return err
		}
	}
	return nil
}

type runner struct {
	Options
	store *records.Store
	pool  *parallel.Pool

	experiment string
	start      time.Time
	until      time.Time // zero: no limit
	done, todo float64   // expected seconds
	tasks      [][]task  // of each experiment
	agata      agataSignals
}

func (r *runner) run(ctx context.Context, tasks []task) error {
	for i, t := range tasks {
		made := r.store.Keys()
		points := t.missing(r.Options, made)
		if len(points) == 0 {
			continue
		}
		if r.late() {
			r.Note(r.experiment, fmt.Sprintf("no time left for %d of %d groups of measurements", len(tasks)-i, len(tasks)))
			return nil
		}
		if r.until.IsZero() {
			points = append(points, r.later(t, made)...)
		}
		if err := r.measure(ctx, t, points); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// later returns the points with the matrix of a task that other experiments lack, so that the matrix is made or read
// once.
func (r *runner) later(t task, made map[string]bool) (points []point) {
	for _, tasks := range r.tasks {
		for _, other := range tasks {
			if other.kind.name == t.kind.name && other.source.name == t.source.name && other.source.text == t.source.text {
				points = append(points, other.missing(r.Options, made)...)
			}
		}
	}
	return points
}

func (r *runner) late() bool { return !r.until.IsZero() && time.Now().After(r.until) }

// measure makes the measurements of one task. A matrix that is not available is noted and left out.
func (r *runner) measure(ctx context.Context, t task, points []point) error {
	if !t.kind.detector {
		r.agata = agataSignals{} // frees memory that others may need
	}
	expected, before := t.cost(points), r.done
	defer func() { r.done = before + expected }()
	in := input{name: t.source.name, pool: r.pool, quick: r.Quick, maxMemory: r.MaxMemory, agata: &r.agata, late: r.late}
	in.progress = func(text string) { r.report(strings.TrimSpace(t.source.name + " " + text)) }
	in.progress("")
	var described *records.Matrix
	if t.kind.matrix {
		m, err := t.source.load(ctx, r.MaxMemory)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.Note(r.experiment, fmt.Sprintf("%s: %v", t.source.name, err))
			return nil
		}
		in.matrix = m
		described = &records.Matrix{Name: t.source.name, Surrogate: t.source.surrogate, Source: t.source.text, Rows: m.Rows, NNZ: m.NNZ()}
	}
	in.emit = func(p point, got result) error {
		record := t.record(p, r.Options)
		record.Matrix = described
		record.Values, record.Series, record.Notes = got.finite(), got.series, got.notes
		record.Time = time.Now().UTC().Truncate(time.Second)
		r.done += expected / float64(len(points))
		in.progress("")
		return r.store.Add(record)
	}
	err := t.kind.run(ctx, in, points)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %s: %w", r.experiment, t.source.name, err)
	}
	return err
}

func (r *runner) report(text string) {
	p := Progress{Experiment: r.experiment, Text: text, Done: r.done / max(r.todo, 1e-9)}
	// The expected time counts at first, the observed speed later.
	if elapsed := time.Since(r.start).Seconds(); r.done > 0 {
		pace := (elapsed + 5) / (r.done + 5)
		p.Left = time.Duration(max(r.todo-r.done, 0) * pace * float64(time.Second))
	} else {
		p.Left = time.Duration(r.todo * float64(time.Second))
	}
	r.Progress(p)
}
