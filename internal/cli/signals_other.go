//go:build !unix

package cli

import "os"

var cpuLimit []os.Signal

// onCheckpointSignal does nothing where there is no SIGUSR1.
func onCheckpointSignal(func()) (end func()) { return func() {} }

func checkDescriptors() error { return nil }
