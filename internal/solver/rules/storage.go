package rules

import (
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// DefaultEpsilon is the accuracy with which the method's matrix is stored at first.
const DefaultEpsilon = 0x1p-24

// PreconditionedEpsilon is the accuracy where a preconditioner leaves few iterations.
const PreconditionedEpsilon = 0x1p-53

// Plain reports whether a storage is FP64 throughout.
func Plain(t solve.Storage) bool { return t.Set.Uniform && t.Set.Name == "FP64" }

// Exact reports whether no element of a storage has an error.
func Exact(t solve.Storage) bool { return Plain(t) || t.Set.Name == adaptive.Lossless.Name }

// StorageWithDefaults fills in what a storage leaves open. Matrices whose rows are of about the same size get NW, which takes fewer bytes
// than CW; so do symmetric ones, of which CW would store a_ij and a_ji differently.
func StorageWithDefaults(t solve.Storage, even, noRefine bool) solve.Storage {
	switch {
	case len(t.Set.Formats) > 0:
	case noRefine:
		t.Set = adaptive.FP64
	default:
		t.Set = adaptive.AFX
	}
	switch {
	case t.Epsilon != 0:
	case Exact(t) && !Plain(t):
		t.Epsilon = adaptive.MinEpsilon
	default:
		t.Epsilon = DefaultEpsilon
	}
	if t.Criterion == "" {
		t.Criterion = adaptive.CW
		if even {
			t.Criterion = adaptive.NW
		}
	}
	return t
}

// Spec converts a storage, with its defaults, to the specification of package adaptive.
func Spec(t solve.Storage, even bool) adaptive.Spec {
	t = StorageWithDefaults(t, even, false)
	return adaptive.Spec{
		Set: t.Set, Epsilon: t.Epsilon, Criterion: t.Criterion, Layout: t.Layout, NoDrop: t.NoDrop, GuardBits: t.GuardBits,
		PaperExact: t.PaperExact, StorageArithmetic: t.StorageArithmetic, DD: t.DD, Kernels: t.Kernels, Model: t.Model,
	}
}

// SameStorage reports whether two storages are alike.
func SameStorage(t, o solve.Storage) bool {
	return t.Set.Name == o.Set.Name && t.Epsilon == o.Epsilon && t.DD == o.DD
}

// FP64 returns the storage in FP64: plain CSR, or the fastest layout for double-double vectors if t is for these.
func FP64(t solve.Storage) solve.Storage {
	return solve.Storage{Set: adaptive.FP64, Epsilon: adaptive.MinEpsilon, Criterion: t.Criterion, DD: t.DD}
}

// Lossless returns the storage without errors that has the fastest products: in slots, or in FP64 for double-double vectors.
func Lossless(t solve.Storage) solve.Storage {
	plain := FP64(t)
	if !t.DD {
		plain.Set = adaptive.Lossless
	}
	return plain
}

// Wide returns the storage in FP64 for double-double vectors.
func Wide(t solve.Storage) solve.Storage {
	t.DD = true
	return FP64(t)
}
