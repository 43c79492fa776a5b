package generate

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// Kind describes one generator.
type Kind struct {
	Name      string
	Help      string // one line: what the matrix is
	Use       string // one line: what it is good for
	Symmetric bool   // every matrix of this kind is exactly symmetric
	Params    []Param
	OnGrid    bool // the unknowns lie on a grid, see Coordinates

	size   func(v values) (rows, nnz int64)
	source func(pool *parallel.Pool, v values) source

	// part is the source of rows lo to hi-1 alone, of a matrix of any size, with columns modulo 2^32; none is 2^31 from its row. nil: the
	// kind, or a matrix with these parameters, is made of all rows.
	part func(pool *parallel.Pool, v values, lo, hi int) source

	nodes func(v values) nodes // nil if the unknowns lie on no grid
}

// Kinds returns all generators, ordered by name.
func Kinds() []Kind {
	kinds := []Kind{
		anisotropic2D(), circuit(), consolidation3D(), consolidation3DSym(), convdiff2D(), convdiff3D(),
		darcy3D(), device3D(), dg2D(), distillation(), elasticity3D(), kkt(), leastSquares(), meshless2D(),
		mixedDarcy2D(), poisson2D(), poisson3D(), powerFlow(), powerlaw(), solid3D(), stencil27(),
		stokes2D(), stokes3D(), transport3D(), trefethen(), wathen(),
	}
	for i := range kinds {
		kinds[i].OnGrid = kinds[i].nodes != nil
	}
	return kinds
}

// Find returns the kind of that name.
func Find(name string) (Kind, bool) {
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// Generate makes the matrix of the named kind on all processors. Parameters
// that p leaves out have their defaults; the error names every fault of p.
func Generate(kind string, p Params) (*csr.Matrix, error) {
	k, ok := Find(kind)
	if !ok {
		var names []string
		for _, k := range Kinds() {
			names = append(names, k.Name)
		}
		return nil, fmt.Errorf("generate: unknown kind %q (known: %s)", kind, strings.Join(names, ", "))
	}
	return k.generate(p, 0)
}

// Estimate returns the number of rows and of nonzeros that Generate would
// make, without making them; csr.Bytes turns them into memory. They are exact
// but for random graphs (circuit, kkt, powerflow, powerlaw), where nnz is an
// expected value. The error names every fault of p.
func (k Kind) Estimate(p Params) (rows, nnz int64, err error) {
	v, err := k.values(p)
	if err != nil {
		return 0, 0, err
	}
	rows, nnz = k.size(v)
	return rows, nnz, nil
}

// generate makes the matrix with that many threads, 0 for all processors.
func (k Kind) generate(p Params, threads int) (*csr.Matrix, error) {
	v, err := k.values(p)
	if err != nil {
		return nil, err
	}
	pool := parallel.New(threads)
	defer pool.Close()
	rows, _ := k.size(v)
	return assemble(pool, int(rows), k.source(pool, v)), nil
}

// Params holds parameters by name; missing ones have their defaults.
type Params map[string]float64

// String writes the parameters as the commands take them, name=value,name=value,
// by name.
func (p Params) String() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		words = append(words, fmt.Sprintf("%s=%v", name, p[name]))
	}
	return strings.Join(words, ",")
}

// Param describes one parameter of a kind.
type Param struct {
	Name     string
	Help     string
	Default  float64
	Min, Max float64 // the range of legal values, both included
	Whole    bool    // whole numbers only

	largest float64 // Max for MakeRows of a kind that makes parts, if it is larger
}

// values are checked parameters, one for each Param of the kind.
type values map[string]float64

func (v values) int(name string) int { return int(v[name]) }
func (v values) seed() uint64        { return uint64(v["seed"]) }

// values fills in the defaults and reports every fault.
func (k Kind) values(p Params) (values, error) {
	v, err := k.valuesUpTo(p, func(q Param) float64 { return q.Max })
	if err != nil {
		return nil, err
	}
	if rows, _ := k.size(v); rows > csr.MaxDim {
		return nil, fmt.Errorf("generate: %s: %d rows, more than the largest matrix has (%d)", k.Name, rows, csr.MaxDim)
	}
	return v, nil
}

// valuesUpTo is values with these upper limits of parameters, and none of rows.
func (k Kind) valuesUpTo(p Params, most func(q Param) float64) (values, error) {
	v := values{}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if !slices.ContainsFunc(k.Params, func(q Param) bool { return q.Name == name }) {
			faults = append(faults, fmt.Errorf("generate: %s has no parameter %q (it has %s)",
				k.Name, name, strings.Join(k.paramNames(), ", ")))
		}
	}
	for _, q := range k.Params {
		x, ok := p[q.Name]
		if !ok {
			x = q.Default
		}
		q.Max = most(q)
		if err := q.check(x); err != nil {
			faults = append(faults, fmt.Errorf("generate: %s: %w", k.Name, err))
		}
		v[q.Name] = x
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return v, nil
}

func (k Kind) paramNames() []string {
	names := make([]string, len(k.Params))
	for i, q := range k.Params {
		names[i] = q.Name
	}
	return names
}

func (q Param) check(x float64) error {
	switch {
	case !(x >= q.Min && x <= q.Max): // NaN too
		return fmt.Errorf("%s = %.15g out of range: want %.15g to %.15g", q.Name, x, q.Min, q.Max)
	case q.Whole && x != math.Trunc(x):
		return fmt.Errorf("%s = %.15g: want a whole number", q.Name, x)
	}
	return nil
}

// Parameters that several kinds have.

// edgeParam is the number of grid points along each edge of a grid of that
// dimension with that many unknowns at a point.
func edgeParam(dim, unknowns, preset int) Param {
	return Param{
		Name: "n", Help: "grid points along each edge", Default: float64(preset),
		Min: 1, Max: float64(maxEdge(dim, unknowns)), Whole: true, largest: largestEdge,
	}
}

// largestEdge is that of grids of which parts are made: the numbers of their unknowns and entries are far from 2^63.
const largestEdge = 1 << 18

// maxEdge returns the largest n with unknowns n^dim <= csr.MaxDim.
func maxEdge(dim, unknowns int) int {
	n := int(math.Pow(float64(csr.MaxDim/unknowns), 1/float64(dim))) + 1
	for unknowns*power(n, dim) > csr.MaxDim {
		n--
	}
	return n
}

func power(n, k int) int {
	p := 1
	for range k {
		p *= n
	}
	return p
}

func seedParam() Param {
	return Param{Name: "seed", Help: "seed of the random numbers", Default: 1, Max: 1 << 53, Whole: true}
}

// decadesParam has a range within which no product of two values overflows.
func decadesParam(help string, preset float64) Param {
	return Param{Name: "decades", Help: help, Default: preset, Max: 100}
}

func grainParam() Param {
	return Param{Name: "grain", Help: "edge length of a grain of constant coefficient, in cells", Default: 1, Min: 1, Max: csr.MaxDim, Whole: true}
}
