package choice

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/gpu"
	"github.com/mpsolve/mpsolve/pkg/precond"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// ChooseDevice decides where the solve runs: on the given device, or on a Candidate that is expected to be faster than the host. If
// DeviceAuto is set and the device cannot be used, the solve runs on the host.
func (s *System) ChooseDevice() error {
	if s.Opt.Candidate != nil && s.Opt.Device == nil {
		s.ChooseCandidate(Speed{Bandwidth: s.ProductBandwidth(), Pass: rules.HostPass})
	}
	d := s.Opt.Device
	if d == nil {
		return nil
	}
	info := d.Info()
	err := s.DeviceFault(info)
	switch {
	case err == nil:
		memory := humanize.Bytes(uint64(s.DeviceMemory())) + " of memory"
		switch {
		case info.Free > 0:
			memory += ", " + humanize.Bytes(uint64(info.Free)) + " free"
		case info.Memory > 0:
			memory += ", " + humanize.Bytes(uint64(info.Memory)) + " installed"
		}
		s.Say("device %v: needs about %s", info, memory)
	case s.Opt.DeviceAuto:
		s.Say("device cpu: %v", err)
		s.Opt.Device = nil
	default:
		return fmt.Errorf("device %v: %w", info, err)
	}
	return nil
}

// DeviceFault returns an error that says why the device cannot be used; nil if it can.
func (s *System) DeviceFault(info gpu.Info) error {
	if err := options.OnDevice(s.Opt); err != nil {
		return err
	}
	if s.M.NNZ() > gpu.MostNonzeros {
		return fmt.Errorf("%d nonzeros; a device takes at most %d", s.M.NNZ(), gpu.MostNonzeros)
	}
	has, free, need := info.Free, " free", s.DeviceMemory()
	if has == 0 { // not known
		has, free = info.Memory, ""
	}
	if has > 0 && need > has {
		return fmt.Errorf("%w: %s%s, solving needs about %s",
			solve.ErrDeviceMemory, humanize.Bytes(uint64(has)), free, humanize.Bytes(uint64(need)))
	}
	return nil
}

// deviceVectors is the number of common vectors, with the storage error and the weights of a preconditioner.
const deviceVectors = rules.CommonVectors + 2

// DeviceMemory returns the least memory of a solve on a device, in bytes: the matrix as given, as stored (counted as FP64) and in a
// preconditioner, vectors and exponents.
func (s *System) DeviceMemory() int64 {
	n, fp64 := int64(s.M.Rows), csr.Bytes(int64(s.M.Rows), int64(s.M.NNZ()))
	bytes := rules.BufferMemory + 2*fp64 + 3*4*n + 8*n*(deviceVectors+s.MethodVectors(s.Method))
	kind := s.Opt.Precond.Kind
	if kind == solve.PrecondAuto {
		kind = precond.BlockJacobi // the largest that the rules choose
	}
	if d, ok := precond.Lookup(kind); ok && d.OnDevice() {
		bytes += d.DeviceBytes(n, int64(s.M.NNZ()))
	}
	return bytes
}
