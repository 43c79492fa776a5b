package choice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Variant is a preconditioner that may be tried.
type Variant struct {
	Kind    precond.Kind
	DropTol float64 // unless the options have one; 0: the default
	Fill    float64 // the same

	ByDomain bool // made for the domains of a matrix, not for the whole
}

func (v Variant) String() string {
	if v.DropTol == 0 {
		return string(v.Kind)
	}
	return fmt.Sprintf("%s, drop %.0e", v.Kind, v.DropTol)
}

// Drop returns the drop tolerance, or its default.
func (v Variant) Drop() float64 {
	if v.DropTol == 0 {
		return precond.DefaultDropTol
	}
	return v.DropTol
}

// A Fallback is a method with a preconditioner.
type Fallback struct {
	Method solve.Method
	Variant
	ProbeRun bool // comes first, since it costs little and tells most
	Certain  bool // comes first, since it solves, and costs little whatever it takes
	Wide     bool // with double-double vectors
}

func (r Fallback) String() string {
	text := string(r.Method)
	if r.Kind != precond.None {
		text += fmt.Sprintf(" with %s", r.Variant)
	}
	if r.Wide {
		text += " in double-double"
	}
	return text
}

// Complete reports whether the preconditioner is a complete factorisation of A, whose cost is known before it is set up.
func (v Variant) Complete() bool {
	return (v.Kind == precond.LU || v.Kind == precond.Cholesky) && !v.ByDomain
}

// A row of the table of fallbacks is a preconditioner, with the systems and backends that it is for.
type row struct {
	of systems
	on backends
	Variant
	when     func(s *System) bool // the condition; nil: always
	method   solve.Method         // if the rules choose the method; "": the method of the system
	probeRun bool
}

// systems are kinds of systems.
type systems uint8

const (
	definite   systems = 1 << iota // for conjugate gradients
	general                        // for GMRES and BiCGStab
	indefinite                     // for GMRES and BiCGStab where incomplete factors help little: saddle points, and symmetric matrices on which conjugate gradients failed

	others = general | indefinite
)

// backends are kinds of backends.
type backends uint8

const (
	onHost    backends = 1 << iota
	onDomains          // ranks on hosts that share a matrix of several domains
	onDevice
	onDevices // ranks with a device each that share a matrix

	onHosts = onHost | onDomains
	onOne   = onHosts | onDevice // all but devices that share a matrix
	onAny   = onOne | onDevices
)

// backends returns the kind of backend of the system.
func (s *System) backends() backends {
	switch {
	case s.Opt.Device != nil && s.Job != nil:
		return onDevices
	case s.Opt.Device != nil:
		return onDevice
	case s.Job != nil:
		return onDomains
	}
	return onHost
}

// table has all fallbacks, in the order in which they are tried if they are expected to take the same. Over several domains multigrid is
// of the whole matrix, and factors are of each domain, with a layer of overlap unless they have to be symmetric. On a device, approximate
// inverses replace incomplete factors.
var table = []row{
	{of: definite, on: onHost, Variant: Variant{Kind: precond.CG32}, when: (*System).inSingle, probeRun: true},
	{of: definite, on: onAny, Variant: Variant{Kind: precond.Jacobi}, when: (*System).Diagonal, probeRun: true},
	{of: definite, on: onAny, Variant: Variant{Kind: precond.BlockJacobi}, when: (*System).DiagonalOfNodes},
	{of: definite, on: onHost, Variant: Variant{Kind: precond.Cholesky}},
	{of: definite, on: onOne, Variant: Variant{Kind: precond.AMG}},
	{of: definite, on: onOne, Variant: Variant{Kind: precond.FSAI}},
	{of: definite, on: onHosts, Variant: Variant{Kind: precond.ICT}},
	{of: definite, on: onHosts, Variant: Variant{Kind: precond.ICT, DropTol: 1e-3}},
	{of: definite, on: onHosts, Variant: Variant{Kind: precond.ICT, DropTol: 1e-2}},
	{of: definite, on: onHost, Variant: Variant{Kind: precond.ICT, DropTol: 1e-8, Fill: rules.WideFill}},
	{of: definite, on: onHosts, Variant: Variant{Kind: precond.IC0}},
	{of: definite, on: onDevice | onDevices, Variant: Variant{Kind: precond.BlockJacobi}},
	{of: definite, on: onAny, Variant: Variant{Kind: precond.None}},

	{of: others, on: onAny, Variant: Variant{Kind: precond.Jacobi}, when: (*System).diagonalOrSymmetric, method: solve.BiCGStab, probeRun: true},
	{of: indefinite, on: onHosts, Variant: Variant{Kind: precond.LU}},
	{of: indefinite, on: onHost, Variant: Variant{Kind: precond.Schur}, when: (*System).twoFields},
	{of: general, on: onHost, Variant: Variant{Kind: precond.LU}},
	{of: others, on: onOne, Variant: Variant{Kind: precond.AMG}, when: (*System).Diffusion, method: solve.BiCGStab},
	{of: others, on: onOne, Variant: Variant{Kind: precond.AMG}, when: (*System).Diffusion},
	{of: general, on: onHosts, Variant: Variant{Kind: precond.ILU0}, when: (*System).Diagonal, method: solve.BiCGStab},
	{of: others, on: onHosts, Variant: Variant{Kind: precond.ILU0}},
	{of: others, on: onHosts, Variant: Variant{Kind: precond.ILUT}},
	{of: others, on: onHosts, Variant: Variant{Kind: precond.ILUT, DropTol: 1e-3}},
	{of: others, on: onHosts, Variant: Variant{Kind: precond.ILUT, DropTol: 1e-2}},
	{of: others, on: onHost, Variant: Variant{Kind: precond.ILUT, DropTol: 1e-8, Fill: rules.WideFill}},
	{of: others, on: onDevice, Variant: Variant{Kind: precond.ISAI}},
	{of: others, on: onDevice | onDevices, Variant: Variant{Kind: precond.BlockJacobi}},
	{of: others, on: onAny, Variant: Variant{Kind: precond.None}},
	{of: general, on: onDomains, Variant: Variant{Kind: precond.LU}},
}

// tableOf returns the rows of the table for a kind of system on the backend of s.
func (s *System) tableOf(of systems) (rows []row) {
	on := s.backends()
	for _, r := range table {
		if r.of&of != 0 && r.on&on != 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

func (s *System) DiagonalOfNodes() bool { return s.Diagonal() && s.HasNodes() }

// twoFields reports whether the diagonal divides the rows into two fields, see precond.Schur.
func (s *System) twoFields() bool {
	return s.Facts.DiagonalSign() == 0 && s.Facts.DiagonalPositive+s.Facts.DiagonalNegative > 0
}

// inSingle reports whether conjugate gradients with the diagonal take less in FP32, with applications that begin again after some iterations: on regular grids
// whose vectors are beyond the innermost caches, and where few iterations are needed. Elsewhere reduced storage of A and local indices gain as much.
func (s *System) inSingle() bool {
	if s.Rows() <= rules.DirectRows || !s.Diagonal() {
		return false
	}
	w := s.Workload()
	if w.Irregular {
		return s.wellConditioned() && w.Nnz > rules.CachedNonzeros
	}
	return s.wellConditioned() || w.Nodes <= 1 && w.Nnz > rules.CachedNonzeros
}

// wellConditioned reports whether the sums of rows show that the diagonal takes few iterations, in which vectors take more time than the matrix.
func (s *System) wellConditioned() bool {
	if s.Rows() <= rules.DirectRows || float64(s.Nonzeros()) > rules.ShortRow*float64(s.Rows()) || !s.Diagonal() {
		return false
	}
	w := s.Workload()
	return w.Bounded && w.Diagonal <= rules.MostInner
}

func (s *System) diagonalOrSymmetric() bool { return s.Diagonal() || s.scaledSymmetric() }

// Fallbacks returns the list of fallbacks, found once: probe runs, and then the others by what they are expected to take.
func (s *System) Fallbacks() []Fallback { return s.Found.Get(s.Tabulated) }

// Tabulated finds the list of fallbacks.
func (s *System) Tabulated() []Fallback {
	list := s.allTabulated()
	if s.Opt.Precond.Kind == solve.PrecondAuto {
		list = s.byCost(list)
	}
	return s.widened(list)
}

// allTabulated returns the fallbacks of the table, and those that the options request.
func (s *System) allTabulated() []Fallback {
	other := s.Method // of systems that turn out not to be definite
	if s.Method == solve.CG && s.Opt.Method != solve.CG {
		other = solve.GMRES
	}
	if kind := s.Opt.Precond.Kind; kind != solve.PrecondAuto {
		requested := []row{{Variant: Variant{Kind: kind}}}
		return s.join(s.Method, requested, other, requested)
	}
	alone := []row{{Variant: Variant{Kind: precond.None}}} // for a scaled matrix that no preconditioner suits
	switch {
	case s.Method == solve.MINRES:
		return s.join(s.Method, alone, other, nil)
	case s.Method == solve.CG && !s.symmetric():
		return s.join(s.Method, alone, other, s.tableOf(general))
	case s.Method == solve.CG:
		return s.join(s.Method, s.tableOf(definite), other, s.tableOf(indefinite))
	case s.Facts.DiagonalZero > 0 || s.indefinite():
		return s.join(s.Method, nil, other, s.tableOf(indefinite))
	}
	return s.join(s.Method, nil, other, s.tableOf(general))
}

// join returns the fallbacks that suit the system: rows with the first method, then more with the second if that differs or rows is nil.
func (s *System) join(first solve.Method, rows []row, second solve.Method, more []row) (list []Fallback) {
	seen := map[Fallback]bool{}
	add := func(method solve.Method, rows []row) {
		for _, r := range rows {
			v := r.Variant
			v.ByDomain = s.Job != nil
			if s.Opt.Precond.DropTol != 0 || s.Opt.Precond.Fill != 0 { // one of each kind, as requested
				v.DropTol, v.Fill = 0, 0
			}
			d, _ := precond.Lookup(v.Kind)
			kind, _ := krylov.KindOf(string(method))
			next := Fallback{Method: method, Variant: v, ProbeRun: r.probeRun && (method == first || len(list) == 0)}
			if r.method != "" && s.Opt.Method == solve.Auto {
				next.Method = r.method
				if r.probeRun && s.scaledSymmetric() {
					next.Method = solve.MINRES
				}
			}
			switch {
			case seen[next] || r.when != nil && !r.when(s):
			case r.probeRun && s.Opt.NoRefine:
			case !s.Suits(v.Kind) && s.Opt.Precond.Kind == solve.PrecondAuto:
			case d.Definite && !kind.Definite && s.Opt.Precond.Kind == solve.PrecondAuto:
			default:
				seen[next] = true
				list = append(list, next)
			}
		}
	}
	add(first, rows)
	if second != first || rows == nil {
		add(second, more)
	}
	return list
}

// Explain logs what comes first, and what the next ones are expected to take.
func (s *System) Explain(fallbacks []Fallback) {
	first := fallbacks[0]
	switch {
	case s.Opt.Precond.Kind != solve.PrecondAuto:
		s.Say("precond %s: requested", first.Kind)
		return
	case s.Method == solve.CG && !s.symmetric():
		s.Say("precond %s: the scaled matrix is not symmetric", first.Kind)
		return
	case len(fallbacks) == 1:
		s.Say("precond %s: the scaling acts as Jacobi preconditioning", first.Kind)
		return
	case first.Certain:
		s.Say("precond %s: the matrix is small, so that complete factors cost little", first.Kind)
		return
	case first.Complete() && s.smallSaddlePoint():
		s.Say("precond %s: the diagonal mostly fails for small saddle points", first.Kind)
		return
	}
	w, shown := s.Workload(), 0
	bets := s.betsOn(fallbacks, w)
	var text strings.Builder
	for k, r := range fallbacks {
		if r.ProbeRun || r.Wide || shown == explained {
			continue
		}
		if shown++; shown > 1 {
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%s %.0f", r, bets[k].Work()/w.Nnz)
	}
	why := "it is expected to take least"
	if first.ProbeRun {
		why = fmt.Sprintf("tried first, while it promises to take less than %s", fallbacks[slices.IndexFunc(fallbacks, func(r Fallback) bool { return !r.ProbeRun })])
	}
	s.Say("precond %s: %s; expected work, in products with A: %s", first.Kind, why, text.String())
}

// explained is the number of fallbacks that Explain names.
const explained = 3

// widened adds the fallbacks with double-double vectors, which go on where float64 ends: after each fallback if the options request
// the preconditioner, and otherwise after the last.
func (s *System) widened(list []Fallback) (all []Fallback) {
	if !rules.Widens(s.Opt.Vectors) {
		return list
	}
	for k, r := range list {
		all = append(all, r)
		if s.Opt.Precond.Kind != solve.PrecondAuto || k == len(list)-1 {
			r.Wide = true
			all = append(all, r)
		}
	}
	return all
}
