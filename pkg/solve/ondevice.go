package solve

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/precond"
)

// DevicePreconds lists the preconditioners that run on devices.
var DevicePreconds = append([]precond.Kind{PrecondAuto}, precond.Kinds(precond.Description.OnDevice)...)

// OnDevice reports every option that no device supports.
func (o Options) OnDevice() error {
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
	if o.Method.Transposes() {
		faults = append(faults, fmt.Errorf("solve: method %s does not run on a device, which has no transpose", o.Method))
	}
	if !o.Vectors.Plain() {
		faults = append(faults, fmt.Errorf("solve: vectors on a device are double, not %v", o.Vectors))
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
	if o.Precise() {
		faults = append(faults, fmt.Errorf("solve: a device has no more than %d digits", MaxDigits))
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

// ErrDeviceMemory is wrapped by the error about a device with too little memory.
var ErrDeviceMemory = errors.New("not enough memory on the device")

// A Candidate is a device that a solve runs on where it is expected to be faster there than on the host.
type Candidate struct {
	Find func() (gpu.Info, error)            // called where a device that needs no time but to start would be faster
	Open func(gpu.Info) (*gpu.Device, error) // the caller closes it, after the Solver
}

// A DeviceChoice is what a choice between the host and a Candidate went by.
type DeviceChoice struct {
	Host   Estimate  `json:"cpu"`
	Device *Estimate `json:"device,omitempty"` // nil: there was no device to look at, or no need to
}

// OverDomains reports every option that a matrix of several domains is not solved with.
func (o Options) OverDomains() error {
	var faults []error
	fault := func(what string, yes bool) {
		if yes {
			faults = append(faults, fmt.Errorf("solve: %s over several domains", what))
		}
	}
	fault("there is no reordering", o.Reorder != "" && o.Reorder != ReorderNone && o.Reorder != ReorderAuto)
	fault(fmt.Sprintf("there are no vectors %v", o.Vectors), !o.Vectors.Plain())
	fault(fmt.Sprintf("there are no more than %d digits", MaxDigits), o.Precise())
	if o.Device != nil && !o.DeviceAuto {
		kind := o.Precond.Kind
		fault(fmt.Sprintf("preconditioner %s does not run on devices", kind), kind != "" && !slices.Contains(devicePrecondsOverDomains, kind))
		fault("devices have no basis in fewer bits", o.Basis != "")
		fault("devices round no halos", o.HaloEpsilon > 0)
	}
	fault("there are no null spaces", o.NullSpace.Kind != "" && o.NullSpace.Kind != NullSpaceAuto && o.NullSpace.Kind != NullSpaceNone)
	fault("there are no least squares", o.Method == LSQR)
	fault("there is no layout sym", o.Storage.Layout == adaptive.Symmetric)
	fault(fmt.Sprintf("there is no transpose of overlap for method %s", o.Method), o.Method.Transposes() && o.Precond.Overlap == precond.OverlapOne)
	return errors.Join(faults...)
}

// devicePrecondsOverDomains are those that run on devices which share a matrix.
var devicePrecondsOverDomains = []precond.Kind{PrecondAuto, precond.None}
