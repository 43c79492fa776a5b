package kernels

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"
)

// A Set holds the kernels that a program calls together: of each kind the kernel that is fastest on this processor,
// among the kernels up to a level of its instructions. A Set never changes, several may be used at once, and nothing
// else determines which kernel is called. All sets give the same bits unless the comment of a kernel says otherwise.
//
// Every field but the name is a kernel, a struct of kernels or a fact about them; portable sets all of them.
type Set struct {
	name string

	vector   vectorKernels
	vectorDD ddVectorKernels
	mixed    mixedKernels
	packed   packedKernels

	csrKernels
	slotKernels
	symmetricKernels
	chunkKernels
	filledKernels
	bcrsKernels
	wordKernels
	storingKernels
	termKernels
	denseKernels
	floatKernels
	ddKernels
	preciseKernels
	fileKernels
}

// portable returns the set of plain Go, which the other sets must equal.
func portable() Set {
	return Set{
		name:     "portable",
		vector:   portableVector,
		vectorDD: portableVectorDD,
		mixed:    mixedKernels{stepInto: stepInto, xpayMixed: xpayMixed},
		packed:   portablePacked,

		csrKernels:       portableCSR,
		slotKernels:      portableSlots,
		symmetricKernels: portableSymmetric,
		chunkKernels:     portableChunks,
		filledKernels:    portableFilled,
		bcrsKernels:      portableBCRS,
		wordKernels:      portableWords,
		storingKernels:   portableStoring,
		termKernels:      portableTerms,
		denseKernels:     portableDense,
		floatKernels:     portableFloats,
		ddKernels:        portableDD,
		preciseKernels:   portablePrecise,
		fileKernels:      portableFiles,
	}
}

// A level is a set of instructions that kernels are written for. The levels of a processor are in set_GOARCH.go; each
// includes the levels below it.
type level struct {
	name string
	has  bool         // whether this processor has it
	set  func(s *Set) // replaces kernels in the set of the level below by faster ones
}

// names lists the names of the sets of all processors, which Variable accepts on every processor.
var names = []string{"portable", "avx2", "avx512", "neon"}

// Names returns the names of the sets of all processors.
func Names() []string { return slices.Clone(names) }

// Variable is the environment variable that selects the default set: for tests, bug reports and measurements.
const Variable = "MPSOLVE_KERNELS"

var (
	sets                 = newSets()
	standard, faultyName = choose(os.Getenv(Variable))
)

func newSets() []*Set {
	s := portable()
	list := []*Set{&s}
	for _, l := range levels {
		if l.has {
			above := *list[len(list)-1]
			above.name = l.name
			l.set(&above)
			list = append(list, &above)
		}
	}
	return list
}

func choose(name string) (*Set, error) {
	if s := Find(name); s != nil {
		return s, nil
	}
	best := sets[len(sets)-1]
	if name == "" || slices.Contains(names, name) {
		return best, nil
	}
	return best, fmt.Errorf("%s=%s: not one of %s", Variable, name, strings.Join(names, ", "))
}

// String returns the name of the set, which is the name of its highest level of instructions.
func (k *Set) String() string { return k.name }

// MarshalBinary implements encoding.BinaryMarshaler: a set is stored by its name.
func (k *Set) MarshalBinary() ([]byte, error) { return []byte(k.name), nil }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It returns an error if this processor has no set of that
// name.
func (k *Set) UnmarshalBinary(name []byte) error {
	s := Find(string(name))
	if s == nil {
		return fmt.Errorf("kernels: this processor has no set %q", name)
	}
	*k = *s
	return nil
}

// Sets returns the sets of this processor: portable Go, and then one for each level of instructions, the highest
// last; in a build without assembly, portable Go alone.
func Sets() []*Set { return slices.Clone(sets) }

// Find returns the set of that name, or nil if this processor has none.
func Find(name string) *Set {
	for _, s := range sets {
		if s.name == name {
			return s
		}
	}
	return nil
}

// Default returns the set that is used when none is given: the set of the highest level, or the one that Variable
// names.
func Default() *Set { return standard }

// DefaultFault returns an error if Variable is not the name of a set; Variable then has no effect. A set that this
// processor does not have stands for the highest set that it has.
func DefaultFault() error { return faultyName }

// Use makes k the kernels of x, a space, matrix or operator of any package, nil the default ones. It panics if x has none.
func Use(x any, k *Set) { x.(interface{ Use(k *Set) }).Use(k) }

// Or returns the set itself, or Default if it is nil.
func (k *Set) Or() *Set {
	if k == nil {
		return standard
	}
	return k
}

// hide returns p and hides its origin from the compiler. Without hide, the compiler would move the arguments of a
// kernel of a Set, which is called through a variable, to the heap. Kernels keep no arguments.
func hide[T any](p *T) *T {
	at := uintptr(unsafe.Pointer(p))
	return *(**T)(unsafe.Pointer(&at))
}

// hidden is hide for a slice.
func hidden[T any](s []T) []T { return unsafe.Slice(hide(unsafe.SliceData(s)), len(s)) }
