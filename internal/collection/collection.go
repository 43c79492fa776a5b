// Package collection reads the folder of test matrices: INDEX.tsv, with columns
// name, file, field and shape, and the files that it names.
package collection

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Entry is a matrix of the collection.
type Entry struct{ Name, Path string }

// RealSquare lists the square matrices that are not complex, in the order of the
// index.
func RealSquare(dir string) ([]Entry, error) {
	f, err := os.Open(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s has no matrix", f.Name()))
	}
	column := map[string]int{}
	for k, name := range rows[0] {
		column[name] = k
	}
	var list []Entry
	for _, row := range rows[1:] {
		if row[column["field"]] != "complex" && row[column["shape"]] == "square" {
			list = append(list, Entry{row[column["name"]], filepath.Join(dir, row[column["file"]])})
		}
	}
	return list, nil
}

// Named is the entry of that name, in the file that all are in.
func Named(dir, name string) Entry { return Entry{name, filepath.Join(dir, name+".mtx.gz")} }

// Read reads the matrix.
func (e Entry) Read() (*csr.Matrix, error) {
	c, err := matrixmarket.ReadFile(context.Background(), e.Path, matrixmarket.Options{})
	if err != nil {
		return nil, err
	}
	return c.CSR()
}
