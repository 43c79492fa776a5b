package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// DevicePreconds lists the preconditioners that run on devices.
var DevicePreconds = append([]precond.Kind{solve.PrecondAuto}, precond.Kinds(precond.Description.OnDevice)...)

// OnDevice reports every option that no device supports.
func OnDevice(o solve.Options) error {
	var faults []error
	if k := o.Precond.Kind; k != "" && !slices.Contains(DevicePreconds, k) {
		faults = append(faults, fmt.Errorf("solve: preconditioner %s does not run on a device; %s do", k, words(DevicePreconds)))
	}
	if l := o.Storage.Layout; !slices.Contains(gpu.Layouts(), l) {
		faults = append(faults, fmt.Errorf("solve: layout %s does not exist on devices; auto, %s do", l, words(gpu.Layouts()[1:])))
	}
	if o.Storage.StorageArithmetic {
		faults = append(faults, errors.New("solve: arithmetic on a device is always FP64"))
	}
	if Transposes(o.Method) {
		faults = append(faults, fmt.Errorf("solve: method %s does not run on a device, which has no transpose", o.Method))
	}
	if !Float64Vectors(o.Vectors) {
		faults = append(faults, fmt.Errorf("solve: vectors on a device are double, not %v", VectorsText(o.Vectors)))
	}
	if o.Precond.KCycle {
		faults = append(faults, errors.New("solve: multigrid on a device has V-cycles, no K-cycles"))
	}
	if o.Restart > gpu.LongestRestart {
		faults = append(faults, fmt.Errorf("solve: a device takes restart lengths of at most %d", gpu.LongestRestart))
	}
	if o.Checkpoint.Save != nil || o.Checkpoint.Resume != nil {
		faults = append(faults, errors.New("solve: there are no checkpoints on a device"))
	}
	if Precise(o) {
		faults = append(faults, fmt.Errorf("solve: a device has no more than %d digits", solve.MaxDigits))
	}
	return errors.Join(faults...)
}

func words[T ~string](all []T) string {
	s := make([]string, len(all))
	for i, w := range all {
		s[i] = string(w)
	}
	return strings.Join(s, ", ")
}

// OverDomains reports every option that is not supported for a matrix of several domains.
func OverDomains(o solve.Options) error {
	var faults []error
	fault := func(what string, yes bool) {
		if yes {
			faults = append(faults, fmt.Errorf("solve: %s over several domains", what))
		}
	}
	fault("there is no reordering", o.Reorder == solve.ReorderRCM)
	fault(fmt.Sprintf("there is no transpose with vectors %v for method %s", VectorsText(o.Vectors), o.Method), !Float64Vectors(o.Vectors) && Transposes(o.Method))
	fault("there are no lower parts", len(o.Lower) > 0)
	kind := o.Precond.Kind
	fault(fmt.Sprintf("preconditioner %s does not run", kind), slices.Contains(inOneDomain, kind))
	fault("there are no K-cycles", kind == precond.AMG && o.Precond.KCycle)
	if o.Device != nil && !o.DeviceAuto {
		fault(fmt.Sprintf("preconditioner %s does not run on devices (%s do)", kind, words(DevicePrecondsOverDomains)), kind != "" && !slices.Contains(DevicePrecondsOverDomains, kind))
		fault("devices have no basis in fewer bits", o.Basis != "")
		fault("devices round no halos", o.HaloEpsilon > 0)
	}
	fault("there is no layout sym", o.Storage.Layout == adaptive.Symmetric)
	fault(fmt.Sprintf("there is no transpose of overlap for method %s", o.Method), Transposes(o.Method) && o.Precond.Overlap == precond.OverlapOne)
	return errors.Join(faults...)
}

// inOneDomain lists the preconditioners that precond.NewDistributed does not make.
var inOneDomain = []precond.Kind{precond.CG32, precond.Schur}

// DevicePrecondsOverDomains lists the preconditioners for devices that share a matrix; multigrid runs on their hosts.
var DevicePrecondsOverDomains = []precond.Kind{solve.PrecondAuto, precond.None, precond.Jacobi, precond.BlockJacobi, precond.Chebyshev, precond.AMG}
