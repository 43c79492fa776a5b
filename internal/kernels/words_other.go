//go:build purego || !(amd64 || arm64)

package kernels

func decodeSIMD([]float64, []byte, Words) bool { return false }
