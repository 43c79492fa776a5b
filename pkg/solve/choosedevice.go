package solve

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/pkg/csr"
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
	if o.Method.transposes() {
		faults = append(faults, fmt.Errorf("solve: method %s does not run on a device, which has no transpose", o.Method))
	}
	if !o.Vectors.plain() {
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
	if o.precise() {
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

// chooseDevice decides where the solve runs: on the given device, or a Candidate that is expected to be faster; on the host
// if DeviceAuto is set and the device cannot be used.
func (s *Solver) chooseDevice() error {
	if s.opt.Candidate != nil && s.opt.Device == nil {
		s.chooseCandidate(Speed{Bandwidth: s.productBandwidth(), Pass: hostPass})
	}
	d := s.opt.Device
	if d == nil {
		return nil
	}
	info := d.Info()
	err := s.deviceFault(info)
	switch {
	case err == nil:
		memory := humanize.Bytes(uint64(s.deviceMemory())) + " of memory"
		switch {
		case info.Free > 0:
			memory += ", " + humanize.Bytes(uint64(info.Free)) + " free"
		case info.Memory > 0:
			memory += ", " + humanize.Bytes(uint64(info.Memory)) + " installed"
		}
		s.say("device %v: needs about %s", info, memory)
	case s.opt.DeviceAuto:
		s.say("device cpu: %v", err)
		s.opt.Device = nil
	default:
		return fmt.Errorf("device %v: %w", info, err)
	}
	return nil
}

// deviceFault is why the device cannot be used.
func (s *Solver) deviceFault(info gpu.Info) error {
	if err := s.opt.OnDevice(); err != nil {
		return err
	}
	if s.m.NNZ() > gpu.MostNonzeros {
		return fmt.Errorf("%d nonzeros; a device takes at most %d", s.m.NNZ(), gpu.MostNonzeros)
	}
	has, free, need := info.Free, " free", s.deviceMemory()
	if has == 0 { // not known
		has, free = info.Memory, ""
	}
	if has > 0 && need > has {
		return fmt.Errorf("%w: %s%s, solving needs about %s",
			ErrDeviceMemory, humanize.Bytes(uint64(has)), free, humanize.Bytes(uint64(need)))
	}
	return nil
}

// ErrDeviceMemory is wrapped by the error about a device with too little memory.
var ErrDeviceMemory = errors.New("not enough memory on the device")

const (
	// deviceVectors are commonVectors, the storage error and the weights of a preconditioner.
	deviceVectors = commonVectors + 2
	// bufferMemory is what scalars and the kernels take.
	bufferMemory = 16 << 20
)

// deviceMemory is what a solve takes on a device at least, in bytes: the matrix as given
// and as stored, FP64 at most, and as a preconditioner has it, vectors and exponents.
func (s *Solver) deviceMemory() int64 {
	n, fp64 := int64(s.m.Rows), csr.Bytes(int64(s.m.Rows), int64(s.m.NNZ()))
	bytes := bufferMemory + 2*fp64 + 3*4*n + 8*n*(deviceVectors+s.methodVectors(s.Method))
	kind := s.opt.Precond.Kind
	if kind == PrecondAuto {
		kind = precond.BlockJacobi // the largest that the rules choose
	}
	if d, ok := precond.Lookup(kind); ok && d.OnDevice() {
		bytes += d.DeviceBytes(n, int64(s.m.NNZ()))
	}
	return bytes
}
