package exhibit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const publishedNote = "[ ] published"

// standInNote tells of stand-ins, "" if there are none.
func (t *Table) standInNote() string {
	switch {
	case len(t.StandIn) == 0:
		return ""
	case slices.Contains(t.View.Rows, "matrix") || slices.Contains(t.View.Columns, "matrix"):
		return "* a generated matrix of the same class stands in for the real one"
	}
	return "a generated matrix of the same class stands in for " + strings.Join(slices.Sorted(maps.Keys(t.StandIn)), ", ")
}

// annotate writes the notes of what the marks mean and what to be wary of.
func (t *Table) annotate(ambiguous []string) {
	note := func(format string, args ...any) { t.Notes = append(t.Notes, fmt.Sprintf(format, args...)) }
	if text := t.standInNote(); text != "" {
		note("%s", text)
	}
	if t.has(func(c *Cell) bool { return c.published() }) {
		note("%s", publishedNote)
	}
	if t.has(func(c *Cell) bool { return c.About && c.published() }) {
		note("~ read from a figure or from text")
	}
	if t.has(func(c *Cell) bool { return c.Failed }) {
		note("( ) not %s", t.View.Best.Among)
	}
	if t.has(func(c *Cell) bool { return c.Quick }) {
		note("measured in a quick run")
	}
	if len(ambiguous) > 0 {
		note("measurements differ in %s as well; shown is the newest", strings.Join(ambiguous, ", "))
	}
}
