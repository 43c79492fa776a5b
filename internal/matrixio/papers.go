package matrixio

import (
	"bytes"
	_ "embed"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

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
