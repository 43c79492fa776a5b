package matrixio

import (
	"bytes"
	_ "embed"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Paper is a matrix that the papers measure with.
type Paper struct {
	Name  string
	Alias string // another name of it in the papers, or ""

	// Group is that of the SuiteSparse collection. It is "" for a matrix that is not
	// available, for the reason Missing.
	Group, Missing string

	// N is the order, and NNZ counts the entries of the full matrix, explicit zeros
	// included: exact figures of the collection, those of the papers to two digits
	// for matrices that are not in it, 0 where not known.
	N, NNZ int64

	// Zeros is how many of the entries are explicit zeros, which the reader drops
	// unless its options keep them.
	Zeros int64

	Symmetric bool // the file then has one triangle

	Download int64 // bytes of the archive, 0: not known

	Surrogate *Surrogate // nil: none
}

// Surrogate is a generated matrix of the same class as one of the papers: same kind
// of problem, unknowns of a node, couplings of a row and spread of magnitudes, at any
// size.
type Surrogate struct {
	Generator string             // of package generate
	Params    map[string]float64 // all but the size
	Imitates  string
	Lacks     string
}

// Stored is the number of entries in the file, which is what table 3.2 of the thesis
// counts: of a symmetric matrix those of one triangle.
func (p Paper) Stored() int64 {
	if p.Symmetric {
		return (p.NNZ + p.N) / 2
	}
	return p.NNZ
}

// Address is where the archive of the matrix can be downloaded, "" if nowhere.
func (p Paper) Address() string {
	if p.Group == "" {
		return ""
	}
	return "https://sparse.tamu.edu/MM/" + p.Group + "/" + p.Name + archiveEnd
}

// bytesPerEntry is what an entry takes in an archive, roughly: 10.1 to 11.3 were
// found for ldoor, inline_1, audikw_1 and RM07R. Matrices with few different values
// take less.
const bytesPerEntry = 11

// DownloadBytes is the size of the archive. It is an estimate unless known, and 0
// for a matrix that is not available.
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

// Papers lists the matrices of tables 3.2, 3.3, 3.4 and 4.4 of Molina's thesis, and
// what its text names besides, in the order of the names within each origin. The
// caller must not change them.
var Papers = sync.OnceValue(func() (list []Paper) {
	d := yaml.NewDecoder(bytes.NewReader(papersYAML))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		panic("papers.yaml: " + err.Error()) // excluded by the tests
	}
	return list
})

// FindPaper returns the matrix of a name or an alias.
func FindPaper(name string) (Paper, bool) {
	list := Papers()
	i := slices.IndexFunc(list, func(p Paper) bool { return name != "" && (p.Name == name || p.Alias == name) })
	if i < 0 {
		return Paper{}, false
	}
	return list[i], true
}
