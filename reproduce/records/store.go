// Measurements are kept as JSON objects, one a line, in a file that only grows. An interrupted run continues where it
// stopped, and all measurements can be shown together.
package records

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/host"
)

// Store is a file of records.
type Store struct {
	path    string
	file    *os.File
	end     int64 // of the whole lines in the file
	records []Record
	latest  map[string]int // index by key
}

// ErrInUse is wrapped by the error of opening a file to which another process adds.
var ErrInUse = errors.New("another mpsolve is adding measurements to this file")

// Open reads the records of a file, which need not exist, and lets this process alone add more. It removes a last
// line that was cut off; any other bad line is an error that names the line.
func Open(path string) (*Store, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, file: f, latest: map[string]int{}}
	if err := lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	list, whole, err := read(f, path)
	if err == nil {
		err = f.Truncate(whole)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s.end = whole
	for _, r := range list {
		s.keep(r)
	}
	return s, nil
}

// Load reads the records of a file, to which another process may be adding. Nothing can be added.
func Load(path string) (*Store, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := Read(f, path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, latest: map[string]int{}}
	for _, r := range list {
		s.keep(r)
	}
	return s, nil
}

// Read returns the records in r; errors call it path.
func Read(r io.Reader, path string) ([]Record, error) {
	list, _, err := read(r, path)
	return list, err
}

// read also returns the bytes of the whole lines.
func read(r io.Reader, path string) (list []Record, whole int64, err error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, whole, nil // the rest was cut off
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", path, err)
		}
		whole += int64(len(line))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var record Record
		if err := json.Unmarshal(line, &record); err != nil {
			return nil, 0, fmt.Errorf("%s:%d: not a measurement: %w", path, number, err)
		}
		list = append(list, record)
	}
}

func (s *Store) keep(r Record) {
	s.latest[r.Key()] = len(s.records)
	s.records = append(s.records, r)
}

// Keys returns the set of keys of the records.
func (s *Store) Keys() map[string]bool {
	keys := map[string]bool{}
	for key := range s.latest {
		keys[key] = true
	}
	return keys
}

// Records returns the latest record of each key, in the order in which they were made.
func (s *Store) Records() []Record {
	var list []Record
	for _, i := range slices.Sorted(maps.Values(s.latest)) {
		list = append(list, s.records[i])
	}
	return list
}

// Add appends a record, as a whole line.
func (s *Store) Add(r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	n, err := s.file.Write(append(line, '\n'))
	if err != nil { // the error names the file
		return errors.Join(err, s.file.Truncate(s.end)) // removes half a line
	}
	s.end += int64(n)
	s.keep(r)
	return nil
}

// Close closes the file.
func (s *Store) Close() error { return s.file.Close() }

// Cores lists the numbers of cores of the machines of the records, the most frequent first.
func Cores(list []Record) (cores []int) {
	count := map[int]int{}
	for _, r := range list {
		count[r.Environment.Cores]++
	}
	return slices.SortedFunc(maps.Keys(count), func(a, b int) int { return cmp.Or(count[b]-count[a], a-b) })
}

// Record is one measurement: in words what was measured (Labels), and in numbers the results.
type Record struct {
	Kind   string               `json:"kind"`
	Quick  bool                 `json:"quick,omitempty"` // of a quick run
	Labels map[string]string    `json:"labels"`          // formats, epsilon, criterion, solver, ...
	Matrix *Matrix              `json:"matrix,omitempty"`
	Values map[string]float64   `json:"values"`           // finite; absent if there is none
	Series map[string][]float64 `json:"series,omitempty"` // of equal length
	Notes  map[string]string    `json:"notes,omitempty"`  // layout, reason, ...

	Environment host.Environment `json:"environment"`
	Time        time.Time        `json:"time"`
}

// Matrix is the matrix of a measurement.
type Matrix struct {
	Name      string `json:"name"`     // as in the papers
	Surrogate bool   `json:"stand_in"` // generated, not the real matrix
	Source    string `json:"source"`   // name of the file, or generator and parameters
	Rows      int    `json:"rows"`
	NNZ       int    `json:"nnz"`
}

// Label returns a label; "matrix" is the name of the matrix.
func (r *Record) Label(name string) string {
	if name == "matrix" && r.Matrix != nil {
		return r.Matrix.Name
	}
	return r.Labels[name]
}

// Key identifies what was measured, in a quick or a full run, on which machine, and with which version: records with
// the same key are measurements of the same thing.
func (r *Record) Key() string {
	var b strings.Builder
	add := func(words ...string) {
		for _, w := range words {
			b.WriteString(w)
			b.WriteByte('\t')
		}
	}
	add(r.Kind, strconv.FormatBool(r.Quick))
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		add(name, r.Labels[name])
	}
	if m := r.Matrix; m != nil {
		add(m.Name, m.Source)
	}
	e := r.Environment
	add(e.Processor, e.Kernels, strconv.Itoa(e.Cores), e.Version, e.Commit)
	return b.String()
}
