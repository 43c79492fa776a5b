//go:build !amd64 || purego

package kernels

// What accessor_amd64.go has for other processors: nothing.

func dot32SIMD(*[lanes32]float32, []float32, []float32) int { return 0 }

func dotMixedSIMD(*[lanes32]float64, []float32, []float32) int { return 0 }

func ellSIMD[S, A Value]([]S, int, int, ELL[S], []S) int { return 0 }

func mulAddsSIMD[S Value](*[MulAddLanes]float64, []S, int, float64, float64) int { return 0 }

func mulAdds32SIMD(*[MulAddLanes32]float32, []float32, int, float32, float32) int { return 0 }
