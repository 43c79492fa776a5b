package records

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

type words = map[string]Words

func product(matrix, formats, epsilon string, seconds float64) Record {
	return Record{
		Kind: "product", Labels: map[string]string{"formats": formats, "epsilon": epsilon},
		Matrix: &Matrix{Name: matrix}, Values: map[string]float64{"seconds": seconds, "converged": 1},
	}
}

// products returns an experiment of two matrices, two sets and two epsilons.
func products() Experiment {
	return Experiment{Measure: []Grid{{
		Kind: "product", Matrices: Words{"b", "a"},
		Labels: words{"formats": {"AP3", "AFX"}, "epsilon": {"2^-53", "2^-24"}},
	}}}
}

func TestBelongs(t *testing.T) {
	grid := products().Measure[0]
	for _, c := range []struct {
		name   string
		change func(*Record)
		want   bool
	}{
		{"as it is", func(*Record) {}, true},
		{"another label", func(r *Record) { r.Labels["threads"] = "4" }, true},
		{"kind", func(r *Record) { r.Kind = "solve" }, false},
		{"matrix", func(r *Record) { r.Matrix.Name = "c" }, false},
		{"no matrix", func(r *Record) { r.Matrix = nil }, false},
		{"formats", func(r *Record) { r.Labels["formats"] = "AP2" }, false},
		{"no formats", func(r *Record) { delete(r.Labels, "formats") }, false},
	} {
		r := product("a", "AFX", "2^-24", 1)
		c.change(&r)
		if got := belongs(grid, &r); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestOrder: rows and columns have the grid's order, without empty ones.
func TestOrder(t *testing.T) {
	v := View{Rows: []string{"matrix"}, Columns: []string{"formats", "epsilon"}, Values: []string{"seconds"}}
	table := newTable(products(), v, []Record{
		product("a", "AFX", "2^-24", 1), product("b", "AP3", "2^-24", 2), product("a", "AP3", "2^-53", 3),
	})
	if got, want := keysText(table.Rows), "b;a"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	if got, want := keysText(table.Columns), "AP3 2^-53;AP3 2^-24;AFX 2^-24"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if got := table.Cells[1][0].Values[0]; got != 3 {
		t.Errorf("a, AP3, 2^-53: got %v, want 3", got)
	}
	if table.Cells[0][0].measured() {
		t.Error("b, AP3, 2^-53 was not measured")
	}
}

func keysText(keys [][]string) string {
	var list []string
	for _, k := range keys {
		list = append(list, strings.Join(k, " "))
	}
	return strings.Join(list, ";")
}

// TestPreference: records with the same labels compete for a cell.
func TestPreference(t *testing.T) {
	at := func(seconds float64, surrogate, quick bool, hour int) Record {
		r := product("a", "AFX", "2^-24", seconds)
		r.Matrix.Surrogate, r.Quick, r.Time = surrogate, quick, time.Unix(int64(3600*hour), 0)
		return r
	}
	v := View{Rows: []string{"matrix"}, Columns: []string{"formats"}, Values: []string{"seconds"}}
	for _, c := range []struct {
		name string
		list []Record
		want float64
	}{
		{"newest", []Record{at(1, false, false, 1), at(2, false, false, 3), at(3, false, false, 2)}, 2},
		{"full", []Record{at(1, false, false, 1), at(2, false, true, 2)}, 1},
		{"real", []Record{at(1, true, false, 2), at(2, false, true, 1)}, 2},
	} {
		for range 2 {
			table := newTable(products(), v, c.list)
			if got := table.Cells[0][0].Values[0]; got != c.want {
				t.Errorf("%s: got %v, want %v", c.name, got, c.want)
			}
			slices.Reverse(c.list)
		}
	}
}

func TestBest(t *testing.T) {
	v := View{
		Rows: []string{"matrix"}, Columns: []string{"formats"}, Values: []string{"seconds"},
		Best: &Best{Over: "epsilon", Least: "seconds", Among: "converged", Otherwise: "error"},
	}
	run := func(epsilon string, seconds, converged, failure float64) Record {
		r := product("a", "AFX", epsilon, seconds)
		r.Values["converged"], r.Values["error"] = converged, failure
		return r
	}
	for _, c := range []struct {
		name   string
		list   []Record
		want   float64
		winner string
		failed bool
	}{
		{"least", []Record{run("2^-53", 3, 1, 0), run("2^-24", 2, 1, 0)}, 2, "2^-24", false},
		{"among", []Record{run("2^-53", 3, 1, 0), run("2^-24", 2, 0, 0)}, 3, "2^-53", false},
		{"otherwise", []Record{run("2^-53", 3, 0, 1e-5), run("2^-24", 2, 0, 1e-3)}, 3, "2^-53", true},
	} {
		table := newTable(products(), v, c.list)
		got := table.Cells[0][0]
		if got.Values[0] != c.want || got.Winner != c.winner || got.Failed != c.failed {
			t.Errorf("%s: got %v at %s, failed %v", c.name, got.Values[0], got.Winner, got.Failed)
		}
		if len(table.Notes) > 0 != c.failed {
			t.Errorf("%s: notes %q", c.name, table.Notes)
		}
	}
}

// TestPublished compares a published line with the cell of a, AFX, 2^-24.
func TestPublished(t *testing.T) {
	e := products()
	for _, c := range []struct {
		name   string
		where  words
		labels []string
		line   []string
		want   float64
	}{
		{"all labels", nil, []string{"matrix", "formats", "epsilon"}, []string{"a", "AFX", "2^-24", "7"}, 7},
		{"another epsilon", nil, []string{"matrix", "formats", "epsilon"}, []string{"a", "AFX", "2^-53", "7"}, math.NaN()},
		{"no epsilon, of which two are shown", nil, []string{"matrix", "formats"}, []string{"a", "AFX", "7"}, math.NaN()},
		{"no epsilon, of which one is shown", words{"epsilon": {"2^-24"}}, []string{"matrix", "formats"}, []string{"a", "AFX", "7"}, 7},
		{"unknown label", nil, []string{"matrix", "formats", "epsilon", "threads"}, []string{"a", "AFX", "2^-24", "4", "7"}, math.NaN()},
		{"not available", nil, []string{"matrix", "formats", "epsilon"}, []string{"a", "AFX", "2^-24", "NA"}, math.NaN()},
	} {
		e.Published = []Published{{Labels: c.labels, Values: []string{"seconds"}, Rows: [][]string{c.line}}}
		v := View{Rows: []string{"matrix"}, Columns: []string{"formats", "epsilon"}, Values: []string{"seconds"}, Where: c.where}
		table := newTable(e, v, []Record{product("a", "AFX", "2^-24", 1)})
		i := slices.IndexFunc(table.Rows, func(k []string) bool { return k[0] == "a" })
		k := slices.IndexFunc(table.Columns, func(k []string) bool { return k[0] == "AFX" && k[1] == "2^-24" })
		if got := table.Cells[i][k].Published[0]; got != c.want && (notNaN(got) || notNaN(c.want)) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestAmbiguous: the view lacks a label.
func TestAmbiguous(t *testing.T) {
	v := View{Rows: []string{"matrix"}, Columns: []string{"formats"}, Values: []string{"seconds"}}
	table := newTable(products(), v, []Record{product("a", "AFX", "2^-24", 1), product("a", "AFX", "2^-53", 2)})
	if got := strings.Join(table.Notes, "; "); !strings.Contains(got, "differ in epsilon") {
		t.Errorf("notes %q do not tell of epsilon", got)
	}
}
