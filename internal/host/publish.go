package host

import "fmt"

// Publish gives the file its name before it is complete: what is written from then on appears in the file of that
// name, which remains whatever happens. A file that is written directly has its name already.
func (f *File) Publish() error {
	err := f.Sync()
	pending.Lock()
	defer pending.Unlock()
	if f.target == "" {
		return nil // devices and FIFOs may not support Sync
	}
	if err == nil {
		err = f.rename()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.path, withoutPath(err))
	}
	f.target = ""
	delete(pending.files, f)
	return nil
}
