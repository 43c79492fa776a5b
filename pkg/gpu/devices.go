package gpu

import (
	"cmp"
	"fmt"
	"slices"
)

// Found is a device, or why a backend has none.
type Found struct {
	Info
	Err error // wraps ErrUnavailable; of the device, or if Name is "" of its backend
}

// Devices lists the devices of every backend, in the order in which they are tried, without
// opening any. Their free memory is what NVIDIA's management library or AMD's kernel driver
// say. A backend without devices has one entry with the reason.
func Devices() []Found {
	var all []Found
	for _, b := range Backends {
		n, err := count(b)
		if err == nil && n == 0 {
			err = errNone()
		}
		if err != nil {
			all = append(all, Found{Info{Backend: b}, unavailable(b, err)})
		}
		for i := range n {
			all = append(all, found(b, i))
		}
	}
	return all
}

// found describes a device.
func found(b Backend, index int) Found {
	info, err := look(b, index)
	info.Backend, info.Index = b, index
	if err != nil {
		return Found{info, unavailable(b, err)}
	}
	_, err = info.image()
	return Found{info, err}
}

// Best returns the device to take where none was named: of the first backend that has one
// which can run the kernels and is not the host itself, the device with the most free memory,
// or with the most memory if that is not known of all. Of equal ones it takes the first. Its
// error has the reason of every backend. It opens no device.
func Best() (Info, error) {
	if !built {
		return Info{}, fmt.Errorf("%w: %s", ErrUnavailable, notInBuild)
	}
	return best(Devices())
}

func best(all []Found) (Info, error) {
	var usable []Info
	why := ErrUnavailable
	for _, f := range all {
		switch {
		case f.Err == nil && !f.Host:
			if len(usable) == 0 || usable[0].Backend == f.Backend {
				usable = append(usable, f.Info)
			}
		case f.Err == nil:
			why = fmt.Errorf("%w; %s is the host itself", why, f.Info)
		default:
			why = fmt.Errorf("%w; %w", why, reason(f.Err))
		}
	}
	if len(usable) == 0 {
		return Info{}, why
	}
	known := !slices.ContainsFunc(usable, func(i Info) bool { return i.Free == 0 })
	room := func(i Info) int64 {
		if known {
			return i.Free
		}
		return i.Memory
	}
	return slices.MaxFunc(usable, func(a, b Info) int { return cmp.Compare(room(a), room(b)) }), nil
}

// Count returns the number of devices of a backend, opening its library.
func Count(b Backend) (int, error) {
	n, err := count(b)
	if err != nil {
		return 0, unavailable(b, err)
	}
	return n, nil
}
