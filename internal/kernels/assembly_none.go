//go:build purego

package kernels

// assembly reports whether this build may have kernels in assembly.
const assembly = false
