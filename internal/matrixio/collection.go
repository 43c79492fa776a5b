// Sources are matrices in folders: the test matrices, which INDEX.tsv lists with the columns name, file, field and
// shape, and files that a user has downloaded from the SuiteSparse collection. Papers lists the origins of the
// papers' matrices.
package matrixio

import (
	"archive/tar"
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"go.yaml.in/yaml/v3"
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

const archiveEnd = ".tar.gz"

// readArchive reads NAME/NAME.mtx from a gzipped tar archive while unpacking it, without storing anything, and skips
// other members such as right-hand sides. Progress counts the bytes of that member.
func (s Source) readArchive(ctx context.Context, file string, opt matrixmarket.Options) (*matrixmarket.Content, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // ends a search for the member
	c, err := readMember(ctx, f, file, s.Name+"/"+s.Name+".mtx", opt)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c, err
}

func readMember(ctx context.Context, f io.Reader, file, member string, opt matrixmarket.Options) (*matrixmarket.Content, error) {
	name := file + ":" + member
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, damage(err))
	}
	archive := tar.NewReader(unpacked)
	size, err := seek(archive, member)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if report := opt.Progress; report != nil {
		opt.Progress = func(done, _ int64) { report(done, size) }
	}
	c, err := matrixmarket.Read(ctx, text{archive}, name, opt)
	if err != nil {
		return nil, err
	}
	// The checksum is at the end.
	if _, err := io.Copy(io.Discard, unpacked); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, damage(err))
	}
	return c, nil
}

// seek advances to a member and returns its size in bytes.
func seek(archive *tar.Reader, member string) (int64, error) {
	for {
		h, err := archive.Next()
		switch {
		case err == io.EOF:
			return 0, errors.New("the archive has no such member")
		case err != nil:
			return 0, damage(err)
		case path.Clean(h.Name) == member && h.Typeflag == tar.TypeReg:
			return h.Size, nil
		}
	}
}

// text is a member of an archive; its errors are about the archive.
type text struct{ io.Reader }

func (t text) Read(buf []byte) (int, error) {
	n, err := t.Reader.Read(buf)
	if err != nil && err != io.EOF {
		err = damage(err)
	}
	return n, err
}

// damage explains an error of unpacking.
func damage(err error) error {
	switch {
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("the archive is not compressed with gzip: %w", err)
	case errors.Is(err, tar.ErrHeader):
		return fmt.Errorf("this is not a tar archive, or a damaged one: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return fmt.Errorf("the archive is cut off: %w", err)
	}
	return fmt.Errorf("the archive cannot be unpacked: %w", err)
}

// Paper is a matrix that the papers use in measurements.
type Paper struct {
	Name  string
	Alias string // another name of it in the papers, or ""

	// Group is the matrix's group in the SuiteSparse collection. It is "" for a matrix that is not available, for the
	// reason Missing.
	Group, Missing string

	// N is the order, and NNZ the number of entries of the full matrix, including explicit zeros: exact figures of
	// the collection; for matrices outside of it figures of the papers to two digits, or 0 if unknown.
	N, NNZ int64

	// Zeros is the number of explicit zeros among the entries, which the reader drops unless its options keep them.
	Zeros int64

	Symmetric bool // the file then has one triangle

	Download int64 // bytes of the archive, 0: not known

	Surrogate *Surrogate // nil: none
}

// Surrogate is a generated matrix of the same class as one of the papers: with the same kind of problem, unknowns per
// node, couplings per row and spread of magnitudes, at any size.
type Surrogate struct {
	Generator string             // of package generate
	Params    map[string]float64 // all but the size
	Imitates  string
	Lacks     string
}

// Stored returns the number of entries in the file, as in table 3.2 of the thesis: for a symmetric matrix the entries
// of one triangle.
func (p Paper) Stored() int64 {
	if p.Symmetric {
		return (p.NNZ + p.N) / 2
	}
	return p.NNZ
}

// Address returns the address of the archive of the matrix, "" if there is none.
func (p Paper) Address() string {
	if p.Group == "" {
		return ""
	}
	return "https://sparse.tamu.edu/MM/" + p.Group + "/" + p.Name + archiveEnd
}

// bytesPerEntry is about the number of bytes of an entry in an archive: 10.1 to 11.3 were found for ldoor, inline_1,
// audikw_1 and RM07R. Matrices with few different values take less.
const bytesPerEntry = 11

// DownloadBytes returns the size of the archive. It is an estimate unless known, and 0 for a matrix that is not
// available.
func (p Paper) DownloadBytes() (bytes int64, known bool) {
	switch {
	case p.Group == "":
		return 0, false
	case p.Download > 0:
		return p.Download, true
	}
	return bytesPerEntry * p.Stored(), false
}

//go:embed papers.yaml
var papersYAML []byte

// Papers lists the matrices of tables 3.2, 3.3, 3.4 and 4.4 of Molina's thesis, and those that only its text names,
// sorted by name within each origin. The caller must not change them.
var Papers = sync.OnceValue(func() (list []Paper) {
	d := yaml.NewDecoder(bytes.NewReader(papersYAML))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		panic("papers.yaml: " + err.Error()) // the tests exclude this
	}
	return list
})

// FindPaper returns the matrix with a name or an alias.
func FindPaper(name string) (Paper, bool) {
	list := Papers()
	i := slices.IndexFunc(list, func(p Paper) bool { return name != "" && (p.Name == name || p.Alias == name) })
	if i < 0 {
		return Paper{}, false
	}
	return list[i], true
}
