package adaptive

import (
	"sync"

	"github.com/klauspost/cpuid/v2"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// processors has the models of known processors by their kernels, the first that fits serves.
// docs/storage.md says how they were measured.
var processors = []struct {
	tier   kernels.Tier
	vendor cpuid.Vendor // VendorUnknown: any
	Model
}{
	{kernels.AVX512, cpuid.AMD, Model{
		Name: "Zen 5, avx512",
		times: [works]float64{
			gatherWork: 3.1, diagonalWork: 2.0, blockWork: 5.1, valueWork: 0.8, sliceWork: 2.9,
			tileSlotWork: 12.8, tileWork: 18.7, scatterWork: 4.5, transposeWork: 0.27, sumWork: 0.333,
			csrRowWork: 1.64, csrWork: 0.24, missWork: 3.0,
		},
		rates: Rates{Memory: 17, Cache: 40}, sizes: Sizes{Near: 2 << 20, Shared: 24 << 20},
	}},
	{kernels.AVX512, cpuid.VendorUnknown, Model{
		Name: "Sapphire Rapids, avx512",
		times: [works]float64{
			gatherWork: 3.1, diagonalWork: 2.0, blockWork: 5.1, valueWork: 0.8, sliceWork: 2.9,
			tileSlotWork: 3.57, tileWork: 5.2, scatterWork: 4.5, transposeWork: 0.27, sumWork: 0.333,
			csrRowWork: 1.64, csrWork: 0.24, missWork: 3.0,
		},
		rates: Rates{Memory: 17, Cache: 40}, sizes: Sizes{Near: 2 << 20, Shared: 24 << 20},
	}},
}

// ModelHere returns the model of this processor, or of the nearest one that is known.
var ModelHere = sync.OnceValue(func() *Model {
	tier, _ := kernels.ActiveTier()
	for k := range processors {
		if p := &processors[k]; p.tier == tier && (p.vendor == cpuid.VendorUnknown || p.vendor == cpuid.CPU.VendorID) {
			return &p.Model
		}
	}
	return &processors[len(processors)-1].Model
})
