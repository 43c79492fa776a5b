package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/parallel"
	"github.com/mpsolve/mpsolve/pkg/csr"
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
	nodes  func(v values) nodes // nil if the unknowns lie on no grid
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
