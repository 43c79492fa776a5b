package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/solver/choice"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// identity is everything that the bits of a solve depend on, besides its right-hand sides.
type identity struct {
	Program   string   `json:"program"`
	Build     string   `json:"build"`   // of this package, and Go's version
	Kernels   string   `json:"kernels"` // architecture and tier of instructions
	Threads   int      `json:"threads"`
	MaxMemory int64    `json:"max_memory"`
	Rows      int      `json:"rows"`
	Nonzeros  int      `json:"nonzeros"`
	Matrix    string   `json:"matrix"`             // SHA-256 of pattern and values
	Domains   int      `json:"domains,omitempty"`  // 0: one
	ByGraph   bool     `json:"by_graph,omitempty"` // the domains, not by ranges of rows
	Options   []option `json:"options"`

	Model *adaptive.Model `json:"model"` // by which layouts are chosen, also by the solve that goes on
}

// option is a field of Options that is not zero.
type option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A digest is a SHA-256 checksum.
type digest = [sha256.Size]byte

// identify returns the identity of the solves of s.
func identify(s *choice.System) identity {
	return identifyBy(s, s.Opt.Storage, func() string { return matrixDigest(s.Given) })
}

// identifyBy is identify with the kernels and the model of a storage, and with another checksum of the matrix.
func identifyBy(s *choice.System, t solve.Storage, matrix func() string) identity {
	set, opt := kernels.Find(t.Kernels).Or(), s.Opt
	opt.Storage.Model = nil
	return identity{
		Program: opt.Checkpoint.Program, Build: build(), Kernels: runtime.GOARCH + " " + set.String(),
		Threads: s.Pool.Threads(), MaxMemory: opt.MaxMemory,
		Rows: s.Given.Rows, Nonzeros: s.Given.NNZ(), Matrix: matrix(),
		Options: appendOptions(nil, "", reflect.ValueOf(opt)),
		Model:   cmp.Or(t.Model, adaptive.ModelOf(set.String())),
	}
}

// build returns the version of this module, as far as the program knows it, and the version of Go.
func build() string {
	const module = "github.com/mpsolve/mpsolve"
	version := runtime.Version()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module {
			version = m.Version + " " + version
		}
	}
	if info.Main.Path == module {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.modified" && s.Value == "true" {
				version += " " + s.Key[len("vcs."):] + " " + s.Value
			}
		}
	}
	return version
}

// matrixDigest returns the checksum of a matrix.
func matrixDigest(m *csr.Matrix) string {
	h := sha256.New()
	addNumbers(h, m.RowPtr)
	addNumbers(h, m.Col)
	addNumbers(h, m.Val)
	return hex.EncodeToString(h.Sum(nil))
}

// systemDigest returns the checksum of a right-hand side and a guess, which may be nil.
func systemDigest(b, x0 []float64) (d digest) {
	h := sha256.New()
	addNumbers(h, b)
	addNumbers(h, x0)
	return digest(h.Sum(nil))
}

// addNumbers adds the count of numbers and the numbers, in little-endian order, to a checksum.
func addNumbers[T int32 | int64 | float64](h hash.Hash, v []T) {
	buffer := binary.LittleEndian.AppendUint64(make([]byte, 0, 8*chunk), uint64(len(v)))
	h.Write(buffer)
	for part := range slices.Chunk(v, chunk) {
		buffer, _ = binary.Append(buffer[:0], binary.LittleEndian, part)
		h.Write(buffer)
	}
}

// chunk is the number of numbers that are hashed, written or read at a time.
const chunk = 1 << 13

// immaterial are the fields of Options on which the bits of x do not depend, or that are in identity.
var immaterial = []string{"Snapshot", "Device", "DeviceAuto", "Candidate", "Threads", "MaxMemory", "Held", "Monitor", "Log", "Examined", "Stage", "Checkpoint"}

// appendOptions appends every field of a struct that is not zero, named by its path.
func appendOptions(list []option, path string, v reflect.Value) []option {
	for i := range v.NumField() {
		field, e := v.Type().Field(i), v.Field(i)
		name := strings.ToLower(path + field.Name)
		switch {
		case field.Anonymous && path == "": // a group of options
			list = appendOptions(list, path, e)
		case !field.IsExported(), path == "" && slices.Contains(immaterial, field.Name), e.IsZero():
		case e.Kind() == reflect.Struct:
			list = appendOptions(list, name+".", e)
		default:
			list = append(list, option{name, optionValue(e)})
		}
	}
	return list
}

// optionValue returns the value of an option as text, or the checksum of a long text.
func optionValue(v reflect.Value) string {
	const longest = 64
	text := fmt.Sprintf("%v", v)
	if _, named := v.Interface().(fmt.Stringer); v.Kind() == reflect.Pointer && !named {
		text = fmt.Sprintf("%v", v.Elem())
	}
	if len(text) > longest {
		sum := sha256.Sum256([]byte(text))
		return "sha256 " + hex.EncodeToString(sum[:8])
	}
	return text
}

// differs says in one line how the solve that took a checkpoint (then) differs from this one (now); "" if it does not.
func (then identity) differs(now identity) string {
	switch {
	case then.Rows != now.Rows || then.Nonzeros != now.Nonzeros:
		return fmt.Sprintf("is of another matrix, with %d rows and %d nonzeros instead of %d and %d",
			then.Rows, then.Nonzeros, now.Rows, now.Nonzeros)
	case then.Domains != now.Domains:
		return fmt.Sprintf("is of %d domains, not %d", max(then.Domains, 1), max(now.Domains, 1))
	case then.ByGraph != now.ByGraph:
		by := map[bool]string{false: "ranges of rows", true: "the graph of the matrix"}
		return fmt.Sprintf("is of domains by %s, not by %s (Options.Reorder, Options.MaxMemory)", by[then.ByGraph], by[now.ByGraph])
	case then.Matrix != now.Matrix:
		return "is of another matrix of the same size"
	}
	var list []string
	compare := func(what, then, now string) {
		if then != now {
			list = append(list, fmt.Sprintf("%s %s, not %s", what, named(then), named(now)))
		}
	}
	compare("version", then.Program, now.Program)
	compare("build", then.Build, now.Build)
	compare("kernels", then.Kernels, now.Kernels)
	compare("threads", fmt.Sprint(then.Threads), fmt.Sprint(now.Threads))
	compare("memory limit", fmt.Sprint(then.MaxMemory), fmt.Sprint(now.MaxMemory))
	for _, name := range optionNames(then.Options, now.Options) {
		compare("option "+name, optionNamed(name, then.Options), optionNamed(name, now.Options))
	}
	if len(list) == 0 {
		return ""
	}
	return "was made with " + strings.Join(list, "; ")
}

// optionNames returns the names in two lists, sorted.
func optionNames(a, b []option) (names []string) {
	for _, o := range append(slices.Clone(a), b...) {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// optionNamed returns the value of an option in a list; "" if the list does not have it.
func optionNamed(name string, list []option) string {
	if i := slices.IndexFunc(list, func(o option) bool { return o.Name == name }); i >= 0 {
		return list[i].Value
	}
	return ""
}

// named returns a value of identity as messages show it.
func named(value string) string {
	if value == "" {
		return "none"
	}
	return value
}
