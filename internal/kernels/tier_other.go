//go:build !amd64 || purego

package kernels

func detect() Tier { return Portable }
