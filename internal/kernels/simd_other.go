//go:build !amd64 || purego

package kernels

// The kernels for this processor: there are none.
var (
	quantizeSIMD  func(m []int64, width []uint8, v []float64, scale float64) int
	packSIMD      func(dst []byte, m []int64, index *[Lanes]int64, size, w int)
	slotsSIMD     func(dst []float64, p *SlotPanel, x []float64, row0 int, d Units, add bool)
	symmetricSIMD func(sums []float64, p *SlotPanel, x []float64, r SymmetricRange)
	csr64SIMD     csrKernel[float64]
	csr32SIMD     csrKernel[float32]
	foldTiers     map[Tier]func(p *float64, n, streams int) uint64
	foldSIMD      func(p *float64, n, streams int) uint64
)

var (
	vectorTiers = map[Tier]vectorKernels{Portable: portableVector}
	vector      = pick(vectorTiers)
)

func decodeSIMD([]float64, []byte, Words) bool { return false }

func addRowsSIMD([]float64, int, int, []uint32, []int32, Words, []byte, []float64) bool { return false }

func dot32SIMD(*[lanes32]float32, []float32, []float32) int { return 0 }

func dotMixedSIMD(*[lanes32]float64, []float32, []float32) int { return 0 }

func ellSIMD[S, A Value]([]S, int, int, ELL[S], []S) int { return 0 }

func mulAddsSIMD[S Value](*[MulAddLanes]float64, []S, int, float64, float64) int { return 0 }

func mulAdds32SIMD(*[MulAddLanes32]float32, []float32, int, float32, float32) int { return 0 }
