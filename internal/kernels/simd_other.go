//go:build !amd64 || purego

package kernels

// The kernels for this processor: portable ones alone.
var (
	vector     = table[vectorKernels]{portableVector}
	csr64      = table[csrKernel[float64]]{csrMulVec[float64]}
	csr32      = table[csrKernel[float32]]{csrMulVec[float32]}
	slots      = table[slotsKernel]{mulSlots}
	symmetric  = table[symmetricKernel]{mulSymmetric}
	quantizing = table[quantizeKernel]{quantize}
	packing    = table[packKernel]{packSlot}
	addingRows = table[addRowsKernel]{addRows}
	folding    = table[foldKernel]{fold}
)

func detect() Tier { return Portable }

func decodeSIMD([]float64, []byte, Words) bool { return false }

func dot32SIMD(*[lanes32]float32, []float32, []float32) int { return 0 }

func dotMixedSIMD(*[lanes32]float64, []float32, []float32) int { return 0 }

func ellSIMD[S, A Value]([]S, int, int, ELL[S], []S) int { return 0 }

func mulAddsSIMD[S Value](*[MulAddLanes]float64, []S, int, float64, float64) int { return 0 }

func mulAdds32SIMD(*[MulAddLanes32]float32, []float32, int, float32, float32) int { return 0 }
