package present

import (
	"io"
	"path/filepath"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/figure"
	"github.com/mpsolve/mpsolve/internal/records"
	"github.com/mpsolve/mpsolve/internal/wholefile"
)

// Write writes all views of an experiment to a folder: ID-NAME.txt, .csv, .tex and
// .md; with a figure, .svg and .png; and the comparison with published values, if
// there are any, as ID-NAME-published. Views without measurements are left out. It
// returns the paths of the files written, also with an error, which names the file.
func Write(dir string, e experiments.Experiment, list []records.Record) (paths []string, err error) {
	add := func(name string, write func(io.Writer) error) {
		path := filepath.Join(dir, name)
		if err == nil {
			err = wholefile.Write(path, write)
		}
		if err == nil {
			paths = append(paths, path)
		}
	}
	for _, v := range e.Views {
		t := newTable(e, v, list)
		if !t.measured() {
			continue
		}
		for _, s := range t.sheets() {
			for _, f := range formats {
				add(s.Name+"."+f.ending, func(w io.Writer) error { return f.write(&s, w) })
			}
		}
		if v.Figure == nil {
			continue
		}
		for _, format := range figure.Formats {
			add(t.name()+"."+format, func(w io.Writer) error { return t.figure().Write(w, format) })
		}
	}
	return paths, err
}

// sheets are the table as printed, and the comparison with published values if
// there are any.
func (t *table) sheets() []sheet {
	list := []sheet{t.sheet()}
	if c := t.compared(); len(c.Body) > 0 {
		list = append(list, c)
	}
	return list
}
