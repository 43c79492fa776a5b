package adaptive

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/mpsolve/mpsolve/internal/kernels"
)

// processors has the models of known processors by their kernels, the first that fits serves.
// docs/storage.md says how they were measured.
var processors = []struct {
	vendor cpuid.Vendor // VendorUnknown: any
	Model
}{
	{cpuid.AMD, Model{
		Name: "Zen 5, avx512", Kernels: "avx512",
		times: [works]float64{
			gatherWork: 2.6, diagonalWork: 1.3, blockWork: 3.4, valueWork: 0.38, sliceWork: 3, farWork: 2.7,
			tileSlotWork: 2.5, tileWork: 4.1, scatterWork: 2.4, transposeWork: 0.19, sumWork: 0.28,
			csrRowWork: 1.4, csrWork: 0.23, missWork: 0.75, farMissWork: 0.35,
		},
		Rates: Rates{Memory: 40, Cache: 120}, Sizes: Sizes{Near: 1 << 20, Shared: 24 << 20},
	}},
	{cpuid.VendorUnknown, Model{
		Name: "Zen 5, avx2", Kernels: "avx2",
		times: [works]float64{
			gatherWork: 3.1, diagonalWork: 2, blockWork: 5.1, valueWork: 0.82, sliceWork: 2, farWork: 4.9,
			tileSlotWork: 14, tileWork: 10, scatterWork: 6.2, transposeWork: 0.28, sumWork: 0.35,
			csrRowWork: 0.9, csrWork: 0.25, missWork: 0.89, farMissWork: 0.89, // as with two threads
		},
		Rates: Rates{Memory: 40, Cache: 120}, Sizes: Sizes{Near: 1 << 20, Shared: 24 << 20},
	}},
	// Not measured: the times with AVX2 by the counts of instructions for NEON, which are up to 1.35
	// times those for AVX2 (bench/instructions.sh).
	{cpuid.VendorUnknown, Model{
		Name: "arm64, by counts of instructions", Kernels: "neon",
		times: [works]float64{
			gatherWork: 4.2, diagonalWork: 2.7, blockWork: 6.9, valueWork: 1.1, sliceWork: 2.7, farWork: 6.5,
			tileSlotWork: 19, tileWork: 14, scatterWork: 8.4, transposeWork: 0.38, sumWork: 0.47,
			csrRowWork: 0.9, csrWork: 0.25, missWork: 0.89, farMissWork: 0.89,
		},
		Rates: Rates{Memory: 20, Cache: 60}, Sizes: Sizes{Near: 1 << 20, Shared: 24 << 20},
	}},
	{cpuid.VendorUnknown, Model{
		Name: "Sapphire Rapids, avx512", Kernels: "avx512",
		times: [works]float64{
			gatherWork: 3.1, diagonalWork: 2.0, blockWork: 5.1, valueWork: 0.8, sliceWork: 2.9, farWork: 4.5,
			tileSlotWork: 3.57, tileWork: 5.2, scatterWork: 4.5, transposeWork: 0.27, sumWork: 0.333,
			csrRowWork: 1.64, csrWork: 0.24, missWork: 3.0, farMissWork: 3.0,
		},
		Rates: Rates{Memory: 17, Cache: 40}, Sizes: Sizes{Near: 2 << 20, Shared: 24 << 20},
	}},
}

// Models returns the models of known processors.
func Models() (list []*Model) {
	for k := range processors {
		list = append(list, &processors[k].Model)
	}
	return list
}

// ModelOf returns the model of this processor with these kernels, or of the nearest known
// processor; nil stands for the default kernels.
func ModelOf(k *kernels.Set) *Model {
	name := k.Or().String()
	for i := range processors {
		if p := &processors[i]; p.Kernels == name && (p.vendor == cpuid.VendorUnknown || p.vendor == cpuid.CPU.VendorID) {
			return &p.Model
		}
	}
	return &processors[len(processors)-1].Model
}
