//go:build purego || !(amd64 || arm64)

package kernels

// levels is empty: portable Go is all that there is.
var levels []level
