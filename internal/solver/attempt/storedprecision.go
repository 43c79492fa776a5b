package attempt

import (
	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/krylov"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// levels are the accuracies of storage that a solve tries one after the other. FP64 follows the last.
var levels = []float64{0x1p-24, 0x1p-37, 0x1p-53}

// Precision is the accuracy of a storage.
type Precision struct {
	Plain   bool // FP64
	Epsilon float64
}

// PrecisionOf returns the precision of a storage.
func PrecisionOf(t solve.Storage) Precision { return Precision{options.Plain(t), t.Epsilon} }

// NextStorage returns the storage to go on with after a method with storage t has stopped for a reason: the next level if
// the accuracy may be the cause, and FP64 otherwise.
func NextStorage(t solve.Storage, reason krylov.Reason) solve.Storage {
	if reason == krylov.Slow || reason == krylov.Indefinite {
		for _, eps := range levels {
			if eps < t.Epsilon && !t.Set.Uniform {
				return StorageAt(t, Precision{Epsilon: eps})
			}
		}
	}
	return options.FP64(t)
}

// StorageAt returns the storage t with another precision.
func StorageAt(t solve.Storage, p Precision) solve.Storage {
	switch {
	case p.Plain:
		return options.FP64(t)
	case options.Plain(t): // by the rules
		t = options.StorageWithDefaults(solve.Storage{Epsilon: p.Epsilon, Criterion: t.Criterion, DD: t.DD}, false, false)
	case p.Epsilon == t.Epsilon:
		return t
	}
	t.Epsilon, t.GuardBits = p.Epsilon, 0
	t.NoDrop = t.NoDrop && options.Spec(t, false).Validate() == nil
	return t
}
