//go:build purego || !(amd64 || arm64)

package kernels

// levels is empty: there is portable Go only.
var levels []level
