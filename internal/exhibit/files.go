package exhibit

import (
	"io"
	"path/filepath"

	"github.com/mpsolve/mpsolve/examples/experiments"
	"github.com/mpsolve/mpsolve/internal/atomicfile"
	"github.com/mpsolve/mpsolve/internal/records"
)

// Write writes all views of an experiment to a folder: ID-NAME.txt, .csv, .tex and
// .md; with a figure, .svg and .png; and where there are published values, the
// tables of Compare as ID-NAME-published. Views without measurements are left out.
// It returns the paths of what it wrote, also with an error, which names the file.
func Write(dir string, e experiments.Experiment, list []records.Record) (paths []string, err error) {
	for _, v := range e.Views {
		t := Pivot(e, v, list)
		if !t.Measured() {
			continue
		}
		sheets := []Sheet{t.Sheet()}
		if c := Compare(&t); len(c.Body) > 0 {
			sheets = append(sheets, c)
		}
		add := func(name, format string, write func(w io.Writer, format string) error) {
			path := filepath.Join(dir, name+"."+format)
			if err == nil {
				err = atomicfile.Write(path, func(w io.Writer) error { return write(w, format) })
			}
			if err == nil {
				paths = append(paths, path)
			}
		}
		for _, s := range sheets {
			for _, format := range []string{Text, CSV, LaTeX, Markdown} {
				add(s.Name, format, s.Write)
			}
		}
		if v.Figure == nil {
			continue
		}
		for _, format := range []string{SVG, PNG} {
			add(t.name(), format, func(w io.Writer, format string) error { return Draw(&t, *v.Figure, w, format) })
		}
	}
	return paths, err
}
