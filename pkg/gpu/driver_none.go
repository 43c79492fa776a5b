//go:build !cgo || !(linux || darwin)

package gpu

const built = false

func count(b Backend) (int, error) { return 0, notBuilt(b) }

func open(b Backend, _ int) (driver, error) { return nil, notBuilt(b) }

func look(b Backend, _ int) (Info, error) { return Info{}, notBuilt(b) }

func notBuilt(b Backend) error {
	return &Error{Backend: b, Text: notInBuild}
}
