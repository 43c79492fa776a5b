package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/packed"
	"github.com/mpsolve/mpsolve/internal/solver/features"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// precondFlags are the flags of the preconditioner.
type precondFlags struct {
	kind, epsilon         string
	nearNull, coordinates string
	cycle, coarsening     string
	dropTol, fill         float64
	blockSize             int
}

var (
	cycles      = []string{"v", "k"}
	coarsenings = []string{"auto", "aggregation", "classical"}
)

// parameterFlags maps the flags that only some preconditioners have to these preconditioners.
var parameterFlags = []struct {
	name  string
	suits func(d precond.Description) bool
}{
	{"near-null", isMultigrid},
	{"coordinates", isMultigrid},
	{"cycle", isMultigrid},
	{"coarsening", isMultigrid},
	{"drop-tol", func(d precond.Description) bool { return d.Drops }},
	{"fill", func(d precond.Description) bool { return d.Drops }},
	{"block-size", func(d precond.Description) bool { return d.BlockSizes }},
}

func isMultigrid(d precond.Description) bool { return d.Kind == precond.AMG }

func (f *precondFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.kind, "precond", "auto", precondHelp())
	fl.StringVar(&f.epsilon, "precond-epsilon", "2^-16", "accuracy at which the preconditioner is stored; 2^-53: FP64")
	fl.StringVar(&f.nearNull, "near-null", "", "for amg: `file` whose columns span the near-null space of the matrix")
	fl.StringVar(&f.coordinates, "coordinates", "", "for amg on elasticity problems: `file` with 2 or 3 coordinates per node")
	fl.StringVar(&f.cycle, "cycle", "v", "for amg: v (V-cycle) or k (K-cycle, two steps of a Krylov method on each coarser level)")
	fl.StringVar(&f.coarsening, "coarsening", "auto", "for amg: aggregation, classical (PMIS, extended+i interpolation; for single unknowns) or auto: classical where few connections are strong")
	fl.Float64Var(&f.dropTol, "drop-tol", precond.DefaultDropTol, "for ilut and ict: drop entries below this, relative to their row")
	fl.Float64Var(&f.fill, "fill", precond.DefaultFill, "for ilut and ict: limit on the entries of the factors, as a multiple of those of the matrix")
	fl.IntVar(&f.blockSize, "block-size", 0, "for bjacobi: largest block; for amg: unknowns per node; 0: found from the pattern")
	completeWords(c, "precond", rules.Preconds)
	completeWords(c, "cycle", cycles)
	completeWords(c, "coarsening", coarsenings)
}

// precond turns the flags into options of pkg/solve, without the near-null space.
func (f *precondFlags) precond(c *cobra.Command) (p solve.Precond, err error) {
	if err := oneOf("precond", &f.kind, rules.Preconds); err != nil {
		return p, err
	}
	if err := cmp.Or(oneOf("cycle", &f.cycle, cycles), oneOf("coarsening", &f.coarsening, coarsenings)); err != nil {
		return p, err
	}
	if p.Epsilon, err = packed.ParseEpsilon(f.epsilon); err != nil {
		return p, usage("--precond-epsilon: %v", err)
	}
	p.Kind = precond.Kind(f.kind)
	for _, flag := range parameterFlags {
		kinds := precond.Kinds(flag.suits)
		if c.Flags().Changed(flag.name) && p.Kind != solve.PrecondAuto && !slices.Contains(kinds, p.Kind) {
			return p, usage("--%s is for --precond %s, not %s", flag.name, joined(kinds, " or "), p.Kind)
		}
	}
	switch {
	case f.nearNull != "" && f.coordinates != "":
		return p, usage("--near-null and --coordinates cannot be used together")
	case !(f.dropTol > 0 && f.dropTol < 1):
		return p, usage("--drop-tol %g: want a number between 0 and 1", f.dropTol)
	case !(f.fill > 0) || math.IsInf(f.fill, 1):
		return p, usage("--fill %g: want a positive number", f.fill)
	case f.blockSize < 0:
		return p, usage("--block-size %d: want a positive number, or 0", f.blockSize)
	}
	p.KCycle = f.cycle == "k"
	if f.coarsening != "auto" {
		p.Coarsening = f.coarsening
	}
	p.BlockSize = f.blockSize
	if c.Flags().Changed("drop-tol") { // without the flag the solver may try several values
		p.DropTol = f.dropTol
	}
	if c.Flags().Changed("fill") {
		p.Fill = f.fill
	}
	return p, nil
}

// precondHelp is the help text of --precond.
func precondHelp() string {
	return "preconditioner, which mpsolve help preconditioners describes: " + joined(rules.Preconds, ", ")
}

// joined is strings.Join for words of any type.
func joined[W ~string](words []W, between string) string {
	plain := make([]string, len(words))
	for i, w := range words {
		plain[i] = string(w)
	}
	return strings.Join(plain, between)
}

// files returns the input files of the near-null space: at most one.
func (f *precondFlags) files() []string { return []string{f.nearNull, f.coordinates} }

// readNearNull reads the near-null space of m into opt, if there is a file of it. Coordinates also define
// the nodes, unless the unknowns of a node are apart or reordering may separate them.
func (f *precondFlags) readNearNull(ctx context.Context, in input, m *csr.Matrix, opt *solve.Options) error {
	n := m.Rows
	path := f.nearNull + f.coordinates // at most one is not empty
	if path == "" {
		return nil
	}
	columns, err := in.columns(ctx, path)
	if err != nil {
		return err
	}
	fault := func(format string, args ...any) error {
		return &exitError{exitInput, fmt.Errorf("%s: "+format, append([]any{path}, args...)...)}
	}
	if len(columns) == 0 {
		return fault("the file has no columns")
	}
	nodes, dim := len(columns[0]), len(columns)
	if f.coordinates != "" {
		switch {
		case dim != 2 && dim != 3:
			return fault("%d coordinates per node; want 2 or 3", dim)
		case nodes == n:
			return fault("%d nodes for %d rows, one unknown each; coordinates are for elasticity problems, with %d per node", nodes, n, dim)
		case nodes*dim != n:
			return fault("%d nodes with %d coordinates each, but the matrix has %d rows, not %d", nodes, dim, n, nodes*dim)
		}
	}
	for k, v := range columns {
		length := n
		if f.coordinates != "" {
			length = nodes
		}
		if err := rules.CheckVector(fmt.Sprintf("vector in column %d", k+1), v, length); err != nil {
			return fault("%w", err)
		}
	}
	if f.nearNull != "" {
		opt.Precond.NearNull = columns
		return nil
	}
	nodewise := make([]float64, n)
	for k, v := range columns {
		for i, x := range v {
			nodewise[i*dim+k] = x
		}
	}
	_, p := features.NodeOrder(m, nil)
	if opt.Precond.BlockSize == 0 && (opt.Reorder == rules.ReorderNodes || opt.Reorder == solve.ReorderNone && p == nil) {
		opt.Precond.BlockSize = dim
	}
	opt.Precond.NearNull, err = precond.RigidBodyModes(dim, nodewise)
	for k, mode := range opt.Precond.NearNull {
		opt.Precond.NearNull[k] = features.Ordering{Permutation: p}.Back(mode)
	}
	return err
}
