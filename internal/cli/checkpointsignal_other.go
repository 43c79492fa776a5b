//go:build !unix

package cli

// onCheckpointSignal does nothing where there is no SIGUSR1.
func onCheckpointSignal(func()) (end func()) { return func() {} }
