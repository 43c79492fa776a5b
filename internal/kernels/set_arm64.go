//go:build !purego

package kernels

import "golang.org/x/sys/cpu"

var levels = []level{{"neon", true, (*Set).neon}}

func (k *Set) neon() {
	k.quad()
	if cpu.ARM64.HasCRC32 {
		k.crc = crcSIMD
	}
}
