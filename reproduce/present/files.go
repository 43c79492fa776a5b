package present

import (
	"io"
	"iter"
	"path/filepath"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// Write writes all views of an experiment to a folder: ID-NAME.txt, .csv, .tex and
// .md; with a figure, .svg and .png; and the comparison with published values, if
// there are any, as ID-NAME-published. Views without measurements are left out. It
// returns the paths of the files written, also with an error, which names the file.
func Write(dir string, e records.Experiment, list []records.Record) (paths []string, err error) {
	for name, write := range files(e, list) {
		path := filepath.Join(dir, name)
		if err := host.Write(path, write); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// files iterates over the names of the files of an experiment, and the functions that write them.
func files(e records.Experiment, list []records.Record) iter.Seq2[string, func(io.Writer) error] {
	return func(yield func(string, func(io.Writer) error) bool) {
		for _, v := range e.Views {
			t := newTable(e, v, list)
			if !t.measured() {
				continue
			}
			for _, s := range t.sheets() {
				for _, f := range formats {
					if !yield(s.Name+"."+f.ending, func(w io.Writer) error { return f.write(&s, w) }) {
						return
					}
				}
			}
			if v.Figure == nil {
				continue
			}
			for _, format := range records.Formats {
				if !yield(t.name()+"."+format, func(w io.Writer) error { return t.figure().Write(w, format) }) {
					return
				}
			}
		}
	}
}

// sheets returns the table as printed and, if there are published values, the comparison with them.
func (t *table) sheets() []sheet {
	list := []sheet{t.sheet()}
	if c := t.compared(); len(c.Body) > 0 {
		list = append(list, c)
	}
	return list
}
