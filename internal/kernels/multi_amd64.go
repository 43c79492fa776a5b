//go:build !purego

package kernels

import "unsafe"

var octMulti = multiKernels{
	slots: [MaxBlock][3]func(c *slotCall, w *multiWork){
		{slotsMulti2Oct, slotsMulti4Oct, slotsMulti8Oct},
		{blocks2Multi2Oct, blocks2Multi4Oct, blocks2Multi8Oct},
		{blocks3Multi2Oct, blocks3Multi4Oct, blocks3Multi8Oct},
		{blocks4Multi2Oct, blocks4Multi4Oct, blocks4Multi8Oct},
		{blocks5Multi2Oct, blocks5Multi4Oct, blocks5Multi8Oct},
		{blocks6Multi2Oct, blocks6Multi4Oct, blocks6Multi8Oct},
	},
	symmetric: [MaxBlock - 1][3]func(c *symmetricCall, w *multiWork){
		{symmetric2Multi2Oct, symmetric2Multi4Oct, symmetric2Multi8Oct},
		{symmetric3Multi2Oct, symmetric3Multi4Oct, symmetric3Multi8Oct},
		{symmetric4Multi2Oct, symmetric4Multi4Oct, symmetric4Multi8Oct},
		{symmetric5Multi2Oct, symmetric5Multi4Oct, symmetric5Multi8Oct},
		{symmetric6Multi2Oct, symmetric6Multi4Oct, symmetric6Multi8Oct},
	},
	tables: unsafe.Pointer(&slotTables),
}
