package gpu

import "fmt"

// Found is a device, or why a back end has none.
type Found struct {
	Info
	Err error // wraps ErrUnavailable; of the device, or if Name is "" of its back end
}

// Devices lists the devices of every back end, in the order in which they are tried. It
// does not load the kernels. A back end without devices has one entry with the reason.
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

// found opens a device for long enough to describe it.
func found(b Backend, index int) Found {
	f := Found{Info: Info{Backend: b, Index: index}}
	drv, err := open(b, index)
	if err != nil {
		f.Err = unavailable(b, err)
		return f
	}
	defer drv.close()
	info, err := drv.info()
	if err != nil {
		f.Err = unavailable(b, err)
		return f
	}
	info.Backend, info.Index = b, index
	f.Info = info
	if info.Old {
		f.Err = info.errOld()
	}
	return f
}

// Best returns the device to take where none was named: the first of Devices that can run
// the kernels and is not the host itself. Its error has the reason of every back end.
func Best() (Info, error) {
	if !built {
		return Info{}, fmt.Errorf("%w: %s", ErrUnavailable, notInBuild)
	}
	why := ErrUnavailable
	for _, f := range Devices() {
		switch {
		case f.Err == nil && !f.Host:
			return f.Info, nil
		case f.Err == nil:
			why = fmt.Errorf("%w; %s is the host itself", why, f.Info)
		default:
			why = fmt.Errorf("%w; %w", why, reason(f.Err))
		}
	}
	return Info{}, why
}

// Count returns the number of devices of a back end, opening its library.
func Count(b Backend) (int, error) {
	n, err := count(b)
	if err != nil {
		return 0, unavailable(b, err)
	}
	return n, nil
}
