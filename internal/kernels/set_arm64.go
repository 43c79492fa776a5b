//go:build !purego

package kernels

var levels = []level{{"neon", true, (*Set).neon}}

func (k *Set) neon() { k.quad() }
