package main

import (
	"bytes"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mostNames is how many names a reader of the public packages meets at most: top-level names, and methods of exported types.
const mostNames = 599

// yet lists the internal types that signatures of public packages still have. A caller passes nil for them, or the value that another
// function of a public package returns. The list only becomes shorter.
var yet = []string{
	"internal/dd.DD",           // double-double vectors of linop and adaptive; the package has more names than the limit leaves room for
	"internal/dd.Vec",          // see DD
	"internal/dist.Comm",       // MPI alone makes one; readers of Matrix Market files that are spread over ranks take it
	"internal/dist.Domains",    // see Comm
	"internal/dist.Matrix",     // see Comm
	"internal/kernels.Words",   // words of codecs, as a constraint
	"internal/packed.Integers", // what adaptive.Quantizer gives to pkg/gpu
}

// public returns the module's public packages as the compiler exports them, read from the build cache.
func public(t *testing.T) (list []*types.Package) {
	sources(t, "..", isSource) // so that the cache of tests notices changes
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", module, module+"/pkg/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		pkg, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[pkg] = file
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(pkg string) (io.ReadCloser, error) { return os.Open(files[pkg]) })
	for _, pkg := range slices.Sorted(maps.Keys(files)) {
		if pkg == module || strings.HasPrefix(pkg, module+"/pkg/") {
			p, err := from.Import(pkg)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, p)
		}
	}
	return list
}

// A surface walks through the exported signatures of a package.
type surface struct {
	of    *types.Package
	found map[string][]string // internal types, and the signatures that have them
}

// signature notes the internal types of a signature.
func (s *surface) signature(name string, t types.Type) {
	seen := map[types.Type]bool{}
	var walk func(t types.Type)
	walk = func(t types.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		note := func(o *types.TypeName) {
			if o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), module+"/internal/") {
				typ := strings.TrimPrefix(o.Pkg().Path(), module+"/") + "." + o.Name()
				s.found[typ] = append(s.found[typ], s.of.Name()+"."+name)
			}
		}
		switch t := t.(type) {
		case *types.Alias:
			note(t.Obj())
			walk(types.Unalias(t))
		case *types.Named:
			note(t.Obj())
			for a := range t.TypeArgs().Types() {
				walk(a)
			}
		case *types.TypeParam:
			walk(t.Constraint())
		case *types.Signature:
			walk(t.Params())
			walk(t.Results())
			for p := range t.TypeParams().TypeParams() {
				walk(p)
			}
		case *types.Tuple:
			for v := range t.Variables() {
				walk(v.Type())
			}
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() {
					walk(f.Type())
				}
			}
		case *types.Interface:
			for m := range t.Methods() {
				if m.Exported() {
					walk(m.Type())
				}
			}
			for e := range t.EmbeddedTypes() {
				walk(e)
			}
		case *types.Union:
			for term := range t.Terms() {
				walk(term.Type())
			}
		case *types.Map:
			walk(t.Key())
			walk(t.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
			walk(t.Elem())
		}
	}
	walk(t)
}

// A caller meets no internal type in the signatures of the public packages, and not too many names.
func TestPublicAPI(t *testing.T) {
	total, found := 0, map[string][]string{}
	for _, p := range public(t) {
		s, count := &surface{of: p, found: found}, 0
		for _, name := range p.Scope().Names() {
			o := p.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			count++
			typ, isType := o.(*types.TypeName)
			if !isType {
				s.signature(name, o.Type())
				continue
			}
			if typ.IsAlias() {
				s.signature(name, typ.Type())
				continue
			}
			s.signature(name, typ.Type().Underlying())
			if named, ok := typ.Type().(*types.Named); ok {
				for m := range named.Methods() {
					if m.Exported() {
						count++
					}
				}
			}
			for m := range types.NewMethodSet(types.NewPointer(typ.Type())).Methods() {
				if m.Obj().Exported() {
					s.signature(name+"."+m.Obj().Name(), m.Type())
				}
			}
		}
		t.Logf("%s: %d exported names", p.Path(), count)
		total += count
	}
	for _, typ := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(yet, typ) {
			t.Errorf("%s is in the signatures of %s", typ, strings.Join(found[typ], ", "))
		}
	}
	for _, typ := range yet {
		if found[typ] == nil {
			t.Errorf("%s is in no signature: it need not be in the list", typ)
		}
	}
	if t.Logf("%d exported names", total); total > mostNames {
		t.Errorf("%d exported names, at most %d", total, mostNames)
	}
}
