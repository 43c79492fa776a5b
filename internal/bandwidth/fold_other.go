//go:build !amd64 || purego

package bandwidth

import "github.com/mpsolve/mpsolve/internal/kernels"

// simdFolds is empty: there are no kernels for this processor.
var simdFolds map[kernels.Tier]func(p *float64, n, streams int) uint64
