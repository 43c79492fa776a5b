// Sources are matrices in folders: the test matrices, which INDEX.tsv lists with the columns name, file, field and
// shape, and files that a user has downloaded from the SuiteSparse collection. Papers lists the origins of the
// papers' matrices.
package matrixio

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// Source is a matrix that can be read: a Matrix Market file, compressed or not, or
// an archive of the SuiteSparse collection.
type Source struct{ Name, Path string }

// Find looks in a folder for NAME.mtx, NAME.mtx.gz, NAME.tar.gz and NAME/NAME.mtx, in this order. It distinguishes
// upper from lower case even where the file system does not.
func Find(dir, name string) (Source, bool) {
	if name == "" || name != filepath.Base(name) {
		return Source{}, false
	}
	for _, file := range []string{name + ".mtx", name + ".mtx.gz", name + archiveEnd} {
		if path := filepath.Join(dir, file); isFile(path) {
			return Source{name, path}, true
		}
	}
	unpacked := filepath.Join(dir, name)
	if path := filepath.Join(unpacked, name+".mtx"); listed(unpacked) && isFile(path) {
		return Source{name, path}, true
	}
	return Source{}, false
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && listed(path)
}

// listed reports whether the folder of the path has an entry of exactly that name.
func listed(path string) bool {
	entries, _ := os.ReadDir(filepath.Dir(path)) // none if it cannot be read
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == filepath.Base(path) })
}

// Read reads the matrix and returns it with the warnings of the reader. The errors are errors of
// matrixmarket.ReadFile; errors of an archive name it and its member.
func (s Source) Read(ctx context.Context, opt matrixmarket.Options) (*csr.Matrix, []string, error) {
	read := matrixmarket.ReadFile
	if strings.HasSuffix(s.Path, archiveEnd) {
		read = s.readArchive
	}
	c, err := read(ctx, s.Path, opt)
	if err != nil {
		return nil, nil, err
	}
	m, err := c.CSR()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.Path, err)
	}
	return m, c.Warnings, nil
}

// RealSquare lists the square matrices of INDEX.tsv that are not complex, in its
// order.
func RealSquare(dir string) ([]Source, error) {
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
	var list []Source
	for _, row := range rows[1:] {
		if row[column["field"]] != "complex" && row[column["shape"]] == "square" {
			list = append(list, Source{row[column["name"]], filepath.Join(dir, row[column["file"]])})
		}
	}
	return list, nil
}

// Named returns the test matrix of that name; all of them have the same form of file.
func Named(dir, name string) Source { return Source{name, filepath.Join(dir, name+".mtx.gz")} }
