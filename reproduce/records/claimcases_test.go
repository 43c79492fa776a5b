package records

import (
	"slices"
	"strings"
)

// made returns a record of a kind; words are labels and values such as formats=AP2, and numbers such as time:0.5.
func made(kind, words string, values map[string]float64) Record {
	r := Record{
		Kind: kind, Labels: map[string]string{}, Values: values, Notes: map[string]string{"layout": "bucketed"},
		Matrix: &Matrix{Name: "ss", Surrogate: true, Source: "s", NNZ: 2 * 15_000_000},
	}
	r.Environment.LLCBytes = 1e6
	if _, ok := values["bytes"]; !ok && values != nil {
		values["bytes"] = 4e6 // four caches
	}
	for _, w := range strings.Fields(words) {
		name, value, _ := strings.Cut(w, "=")
		if name != "matrix" {
			value = strings.ReplaceAll(value, "_", " ")
		}
		r.Labels[name] = value
	}
	if name := r.Labels["matrix"]; name != "" {
		delete(r.Labels, "matrix")
		r.Matrix.Name = name
	}
	return r
}

type numbers = map[string]float64

// stored returns a product with that storage and time, relative to FP64.
func stored(words string, storage, seconds float64) Record {
	return made("product", "drop=yes epsilon=2^-24 arithmetic=fp64 "+words, numbers{
		"storage": storage, "time": seconds, "time.q1": 0.99 * seconds, "time.q3": 1.01 * seconds, "time_fp32": seconds, "time_fp32.q3": seconds,
	})
}

// solved returns a solve; iterations 0: not converged.
func solved(words string, iterations, seconds float64) Record {
	v := numbers{"converged": 1, "iterations": iterations, "iteration_seconds": seconds, "storage": 0.5}
	if iterations == 0 {
		v["converged"], v["iterations"] = 0, 500
	}
	return made("solve", "solver=cg "+words, v)
}

// cycles returns a solve by so many cycles of restarted GMRES; 0: not converged.
func cycles(words string, n float64) Record { return solved("solver=gmres40 "+words, 40*n, 1) }

// coarse returns a solve with that storage.
func coarse(r Record, storage float64) Record {
	r.Values["storage"] = storage
	return r
}

// stopped returns solves by BiCGStab in uniform FP32 and with the normwise criterion at two targets, and the latter by
// GMRES, with their iterations; 0: not converged.
func stopped(matrix string, single, normwise, gmres float64) (l []Record) {
	for solver, n := range map[string]float64{"bicgstab": normwise, "gmres40": gmres} {
		words := "solver=" + solver + " matrix=" + matrix + " "
		l = append(l, solved(words+uniform, single, 1), solved(words+nw, 0, 1), solved(words+"formats=AP7 criterion=nw epsilon=2^-16", n, 1))
	}
	return l
}

// shares returns solves in uniform FP32 with these shares of the time in products.
func shares(by ...float64) (l []Record) {
	for k, x := range by {
		r := solved("solver="+[]string{"bicgstab", "cg", "gmres40", "gmres80"}[k]+" "+uniform, 100, 1)
		r.Values["seconds"], r.Values["spmv_seconds"] = 2, 2*x
		l = append(l, r)
	}
	return l
}

// timed returns products of AP2 with these times at 2^-53, 2^-37 and 2^-24.
func timed(by ...float64) (l []Record) {
	for k, x := range by {
		l = append(l, stored("formats=AP2 epsilon="+[]string{"2^-53", "2^-37", "2^-24"}[k], 1, x))
	}
	return l
}

const (
	uniform = "formats=FP32 criterion=none epsilon=2^-24"
	cw      = "formats=AP7 criterion=cw epsilon=2^-24"
	nw      = "formats=AP7 criterion=nw epsilon=2^-24"
	ap2     = "formats=AP2 criterion=cw epsilon=2^-24"
)

// problem returns a problem of the accessor, in FP32 and in FP64 over FP32.
func problem(kernel string, error, seconds float64) []Record {
	kind := "accessor"
	if kernel == "ELL" {
		kind = "ell"
	}
	return []Record{
		made(kind, "data=FP32 precision=FP32 kernel="+kernel, numbers{"error": 1, "seconds": 1}),
		made(kind, "data=FP32 precision=FP64_over_FP32 kernel="+kernel, numbers{"error": error, "seconds": seconds}),
	}
}

// roof returns rooflines; memory and arithmetic are the speeds of FP64 over FP32.
func roof(memory, arithmetic float64) []Record {
	at := func(formats, intensity string, gflops float64) Record {
		return made("roofline", "formats="+formats+" intensity="+intensity, numbers{"gflops": gflops})
	}
	return []Record{
		at("FP32", "2", 10), at("FP64", "256", 100), at("FP64-over-FP32", "2", memory), at("FP64-over-FP32", "256", arithmetic),
	}
}

// errorOf returns a product with these errors, in epsilon.
func errorOf(words string, nw, row float64) Record {
	return made("product", "drop=yes epsilon=2^-10 "+words, numbers{"error_nw": nw * 0x1p-10, "error_row": row * 0x1p-10, "bound": 0x1p-5})
}

func scaled(formats, threads string, efficiency float64) Record {
	return made("scaling", "formats="+formats+" threads="+threads, numbers{"efficiency": efficiency})
}

// two returns products of two sets, the second with that storage and time.
func two(first, second string, storage, seconds float64) []Record {
	return list(stored("formats="+first, 1, 1), stored("formats="+second, storage, seconds))
}

// wrong returns a solve with that forward error.
func wrong(r Record, forward float64) Record {
	r.Values["forward_error"] = forward
	return r
}

func list(l ...Record) []Record { return l }

// The sets of the claims on FP16, FP8 and RPRE24.
const (
	withRPRE24 = "FP64,RPRE48,RPRE40,RPRE32,FP32,RPRE24,RPRE16,RPRE8,drop"
	withFP8    = "FP64,FP32,FP16,FP8E4M3,drop"
	withRPRE8  = "FP64,FP32,RPRE16,RPRE8,drop"
)

// half returns products with FP16 by rounding, with these shares of FP16.
func half(own, paper float64) []Record {
	shared := func(rounding string, share float64) Record {
		r := stored("formats=FP64,FP32,FP16,drop rounding="+rounding, 1, 1)
		if share > 0 {
			r.Values["share.FP16"] = share
		}
		return r
	}
	return list(shared("own", own), shared("paper", paper))
}

// cases lists records by claim, with the verdict.
var cases = []struct {
	id   string
	want Verdict
	list []Record
}{
	// The bound of these is 2^-5, far above the fixed constant.
	{"error", Holds, list(errorOf("formats=AP2 criterion=nw", 9.9, 1e3), errorOf("formats=AP2 criterion=cw", 1e3, 9.9))},
	{"error", Partly, list(errorOf("formats=AP2 matrix=a", 1, 0), errorOf("formats=AP2 matrix=b", 9, 0), errorOf("formats=AP2 matrix=c", 12, 0))},
	{"error", Fails, list(errorOf("formats=AP2 criterion=nw", 11, 0), errorOf("formats=AFX criterion=nw", 1, 0), errorOf("formats=FP32", 1, 0))},
	{"error-formats", Holds, list(errorOf("formats=AP2", 2, 0), errorOf("formats=AP3", 2.1, 0), errorOf("formats=AP7", 3, 0))},
	{"error-formats", Partly, list(errorOf("formats=AP2", 2, 0), errorOf("formats=AP3", 1.9, 0))},
	{"error-formats", Partly, list(errorOf("formats=AP2", 2, 0), errorOf("formats=AP7", 4, 0))},
	{"error-formats", NotMeasured, list(errorOf("formats=AP2", 0, 0), errorOf("formats=AP7", 4, 0))},
	{"formats", Holds, list(stored("formats=AP2", 0.9, 1), stored("formats=AP3", 0.8, 1), stored("formats=AP7", 0.8, 1))},
	{"formats", Partly, list(stored("formats=AP2", 0.9, 1), stored("formats=AP3", 0.8, 1), stored("formats=AP7", 0.81, 1))},
	{"formats", Fails, two("AP2", "AP3", 1.1, 1)},
	{"target", Holds, list(stored("formats=AP2 epsilon=2^-53", 1, 1), stored("formats=AP2 epsilon=2^-37", 0.9, 1), stored("formats=AP2", 0.9, 1))},
	{"target", Fails, list(stored("formats=AP2 epsilon=2^-37", 0.9, 1), stored("formats=AP2", 0.91, 1))},
	{"criterion", Holds, list(stored("formats=AP2 criterion=cw", 0.9, 1), stored("formats=AP2 criterion=nw", 0.9, 1))},
	{"criterion", Fails, list(stored("formats=AP2 criterion=cw", 0.9, 1), stored("formats=AP2 criterion=nw", 0.95, 1))},
	// "Up to" is about the largest gain and about the median, and the largest of many cases alone decides nothing.
	{"reduction", Holds, list(stored("formats=AP7 arithmetic=storage", 0.4, 1), stored("formats=AP3 arithmetic=storage", 0.4, 1), stored("formats=AP2 arithmetic=storage", 1./27, 1))},
	{"reduction", Partly, list(stored("formats=AP7 arithmetic=storage", 0.7, 1), stored("formats=AP3 arithmetic=storage", 0.7, 1), stored("formats=AP2 arithmetic=storage", 1./36, 1))},
	{"reduction", Partly, list(stored("formats=AP7 arithmetic=storage", 1./26, 1), stored("formats=AFX arithmetic=storage", 0.001, 1))},
	{"reduction", Fails, list(stored("formats=AP7 arithmetic=storage", 0.5, 1))},
	{"storage-99", Holds, list(stored("formats=AP2", 0.01, 1))},
	{"storage-99", Partly, list(stored("formats=AP2", 0.02, 1))},
	{"ap3-halves", Holds, append(two("AP2 matrix=vas_stokes_2M", "AP3 matrix=vas_stokes_2M", 0.55, 1), two("AP2 matrix=Long_Coup_dt6", "AP3 matrix=Long_Coup_dt6", 0.6, 1)...)},
	{"ap3-halves", Partly, append(two("AP2 matrix=vas_stokes_2M", "AP3 matrix=vas_stokes_2M", 0.55, 1), two("AP2 matrix=Long_Coup_dt6", "AP3 matrix=Long_Coup_dt6", 0.7, 1)...)},
	{"ap3-halves", NotMeasured, two("AP2 matrix=nv1", "AP3 matrix=nv1", 0.5, 1)},
	{"ap4-ap2-storage", Holds, two("AP2", "AP4", 0.82, 1)},
	{"ap4-ap2-storage", Partly, two("AP2", "AP4", 0.83, 1)}, // the median suffices, the largest does not
	{"ap4-ap2-storage", Partly, slices.Concat(two("AP2", "AP4", 0.76, 1), two("AP2 matrix=b", "AP4 matrix=b", 0.95, 1), two("AP2 matrix=c", "AP4 matrix=c", 0.95, 1))},
	{"ap4-ap2-storage", Fails, two("AP2", "AP4", 1, 1)},
	{"ap7-ap4-storage", Holds, two("AP4", "AP7", 0.91, 1)},
	{"ap7-ap4-storage", Fails, two("AP4", "AP7", 1.1, 1)},
	{"ap7re-ap7-storage", Holds, two("AP7", "AP7RE", 0.88, 1)},
	{"ap7re-ap7-storage", Holds, append(two("AP7", "AP7RE", 1, 1), stored("formats=AP7REU", 0.88, 1))},
	{"ap7re-ap7-storage", Fails, append(two("AP7", "AP7RE", 1, 1), stored("formats=AP7REU", 1, 1))},
	{"lighter-indices", Holds, list(light("slots", 0.9), light("blocks", 0.8))},
	{"lighter-indices", Fails, list(light("slots", 0.9))},
	{"dropping", Holds, append(dropped("a", 0.9, 0.7), dropped("b", 1.1, 1)...)},
	{"dropping", Partly, append(dropped("a", 0.9, 0.7), dropped("b", 0.9, 1)...)},
	{"dropping", Partly, append(dropped("a", 0.9, 0.7), dropped("b", 1.1, 1.1)...)},

	{"cw-converges", Holds, list(solved(uniform, 100, 1), solved(cw, 125, 1))},
	{"cw-converges", Fails, list(solved(uniform, 100, 1), solved(cw, 126, 1))},
	{"cw-converges", Fails, list(solved(uniform, 100, 1), solved(cw, 0, 1))},
	{"cw-converges", Holds, list(solved(uniform, 0, 1), solved(cw, 10, 1))},
	{"cw-converges", NotMeasured, list(solved(uniform, 0, 1), solved(cw, 0, 1))},
	{"cw-converges", Fails, list(cycles(uniform, 9), cycles(cw, 12))},
	{"cw-converges", NotMeasured, list(cycles(uniform, 4), cycles(cw, 6))},
	{"cw-converges", Fails, list(cycles(uniform, 4), cycles(cw, 0))},
	{"nw-varies", Holds, list(
		solved(uniform+" matrix=a", 100, 1), solved(nw+" matrix=a", 111, 1), solved(uniform+" matrix=b", 100, 1), solved(nw+" matrix=b", 0, 1))},
	{"nw-varies", Partly, list(solved(uniform, 100, 1), solved(nw, 111, 1))},
	{"nw-varies", Fails, list(solved(uniform, 100, 1), solved(nw, 109, 1))},
	{"nw-fast", Holds, list(cycles(uniform, 12), cycles(nw, 4))},
	{"nw-fast", Holds, list(cycles(uniform, 0), cycles(nw, 20))},
	{"nw-fast", Fails, list(cycles(uniform, 12), cycles(nw, 5))},
	{"nw-fast", NotMeasured, list(solved(uniform, 100, 1), solved(nw, 33, 1))}, // CG
	{"nw-fast", NotMeasured, list(cycles(uniform, 9), cycles(nw, 2))},          // too few cycles
	{"nw-fast", NotMeasured, list(cycles(uniform+" matrix=Emilia_923", 12), cycles(nw+" matrix=Emilia_923", 4))},
	{"nw-bicgstab", Holds, slices.Concat(stopped("a", 100, 0, 100), stopped("b", 100, 100, 100), stopped("c", 0, 0, 0))},
	{"nw-bicgstab", Partly, slices.Concat(stopped("a", 100, 0, 0), stopped("b", 100, 100, 0))},
	{"nw-bicgstab", Partly, slices.Concat(stopped("a", 100, 0, 100), stopped("b", 100, 100, 100), stopped("c", 100, 100, 100))},
	{"nw-bicgstab", Fails, stopped("a", 100, 100, 100)},
	{"nw-bicgstab", NotMeasured, stopped("Geo_1438", 100, 0, 100)},
	{"product-shares", Holds, shares(0.7, 0.5, 0.45, 0.3)},
	{"product-shares", Partly, shares(0.7, 0.5, 0.45, 0.46)},
	{"product-shares", Partly, shares(0.4, 0.3, 0.2, 0.1)},
	{"product-shares", NotMeasured, shares(0.7, 0.5, 0.45)},
	{"nw-fast-error", Holds, list(solved(uniform, 100, 1), wrong(solved(nw, 33, 1), 1))},
	{"nw-fast-error", Holds, list(solved(uniform, 0, 1), wrong(solved(nw, 400, 1), 1e8))},
	{"nw-fast-error", Fails, list(solved(uniform, 100, 1), wrong(solved(nw, 33, 1), 0.9))},
	{"nw-fast-error", NotMeasured, list(solved(uniform, 100, 1), wrong(solved(nw, 34, 1), 10))},
	{"nw-fast-error", NotMeasured, list(solved(uniform, 0, 1), wrong(solved(nw, 0, 1), 10))},
	{"coarser", Holds, coarser(100, 0.4, 100)},
	{"coarser", Holds, coarser(100, 0.4, 0)},
	{"coarser", Partly, coarser(100, 0.4, 99)},
	{"coarser", Fails, coarser(100, 0.5, 99)},
	{"coarser", Holds, list(cycles(cw, 3), coarse(cycles("formats=AP7 criterion=cw epsilon=2^-16", 2), 0.4))},
	{"best-epsilon", Holds, targets(100, 100, 0)},
	{"best-epsilon", Fails, targets(100, 120, 0)},
	{"best-epsilon", Fails, targets(100, 100, 100)},
	{"best-epsilon", NotMeasured, targets(100, 0, 0)},
	{"best-epsilon", NotMeasured, list(cycles(cw, 3), cycles("formats=AP7 criterion=cw epsilon=2^-20", 3))},
	{"solve-time", Holds, list(solved(uniform, 100, 1), solved(ap2, 50, 2), solved(ap2+" criterion=nw", 100, 0.9))},
	{"solve-time", Fails, list(solved(uniform, 100, 1), solved(ap2, 0, 1.1), solved(cw, 100, 0.9))},

	{"time-storage", Holds, list(stored("formats=AP2", 0.8, 0.9))},
	{"time-storage", Partly, list(stored("formats=AP2", 0.8, 0.9), stored("formats=AP7", 0.8, 0.9), stored("formats=AP3", 0.8, 1.2), stored("formats=AP4", 0.8, 0.95))},
	{"time-storage", Fails, list(stored("formats=AP7", 0.8, 1.1), stored("formats=AFX", 0.8, 0.8))},
	{"time-fp64", Holds, list(stored("formats=AP2", 1, 0.9), stored("formats=AP2 epsilon=2^-53", 1, 0.9))},
	{"time-fp64", Partly, list(stored("formats=AP2", 1, 1.2), stored("formats=AP2 epsilon=2^-53", 1, 0.7))},
	{"time-fp64", Fails, list(stored("formats=AP2", 1, 1), stored("formats=AFX", 1, 0.5))},
	{"time-96", Holds, two("FP64", "AP2", 1, 0.2)},
	{"time-96", Partly, two("FP64", "AP2", 1, 0.3)},
	{"time-96", Partly, slices.Concat(two("FP64", "AP2", 1, 0.2), two("FP64 matrix=b", "AP2 matrix=b", 1, 0.6), two("FP64 matrix=c", "AP2 matrix=c", 1, 0.6))},
	{"time-96", Fails, two("FP64", "AP2", 1, 0.9)},
	{"time-between", Holds, timed(1, 0.9, 0.8)},
	{"time-between", Fails, timed(1, 0.9, 0.95)},
	{"time-between", Fails, timed(1, 1.1, 0.95)},
	{"time-between", NotMeasured, timed(1, 0.9)},
	{"ap4-ap2-time", Holds, two("AP2", "AP4", 1, 0.82)},
	{"ap4-ap2-time", Partly, two("AP2", "AP4", 1, 0.84)}, // the quartiles allow less
	{"ap4-ap2-time", Fails, two("AP2", "AP4", 0.5, 1.1)},
	{"ap7-ap4-time", Holds, two("AP4", "AP7", 1, 0.91)},
	{"ap7-ap4-time", Fails, two("AP4", "AP7", 0.5, 1)},
	{"ap7re-ap7-time", Holds, two("AP7", "AP7RE", 1, 0.88)},
	{"ap7re-ap7-time", Partly, two("AP7", "AP7RE", 1, 0.95)}, // the median suffices
	{"ap7re-ap7-time", Fails, two("AP7", "AP7RE", 0.5, 1)},
	{"scaling", Holds, list(scaled("FP64", "9", 0.1), scaled("FP64", "10", 0.9), scaled("AP2", "10", 0.8), scaled("AFX", "10", 0.1))},
	{"scaling", Partly, list(scaled("FP64", "10", 0.9), scaled("AP2", "10", 0.7), scaled("AFX", "10", 0.9))},
	{"scaling", NotHere, list(scaled("FP64", "2", 0.9), scaled("AP2", "2", 0.9), scaled("AFX", "2", 0.9))},
	{"scaling", NotMeasured, list(scaled("FP64", "10", 0.9), scaled("AFX", "10", 0.7))},
	{"scaling", Partly, list(scaled("FP64", "10", 0.9), scaled("AP2", "10", 0.7))},
	{"second-socket", NotHere, list(scaled("FP64", "36", 0.4), scaled("AP2", "36", 0.4))},
	{"energy", Holds, list(energy("FP64", 1), energy("AFX", 0.5), energy("AP2", 0.9))},
	{"energy", Fails, list(energy("FP64", 1), energy("AP2", 1.1))},

	{"accessor-gemv", Holds, problem("GEMV", 0.5, 1.2)},
	{"accessor-gemv", Fails, problem("GEMV", 1, 1)},
	{"accessor-gemv-time", Holds, problem("GEMV", 1, 1)},
	{"accessor-gemv-time", Fails, problem("GEMV", 0.5, 1.2)},
	{"accessor-dot", Holds, problem("DOT", 0.5, 1)},
	{"accessor-dot", Fails, problem("DOT", 1, 1)},
	{"accessor-dot-time", Holds, problem("DOT", 0.5, 1)},
	{"accessor-dot-time", Fails, problem("DOT", 1, 1.2)},
	{"accessor-trsv", Holds, problem("TRSV", 0.1, 1.2)},
	{"accessor-trsv", Fails, problem("TRSV", 0.6, 0.9)},
	{"accessor-ell", NotHere, problem("ELL", 2, 1.02)},
	{"solvers-bound", Holds, list(iterated("cg", 10, 0.4), iterated("idr", 10, 0.5), iterated("cgs", 10, 0.6))},
	{"solvers-bound", Partly, list(iterated("cg", 10, 0.4), iterated("idr", 10, 0.45), iterated("cgs", 10, 0.6))},
	{"solvers-bound", Fails, list(iterated("cg", 10, 0.4), iterated("lsqr", 10, 0.9))},
	{"solvers-alike", Holds, list(iterated("cg", 10, 0.4), iterated("bicg", 5, 0.4), iterated("lsqr", 1, 0.4))},
	{"solvers-alike", Fails, list(iterated("cg", 10, 0.4), iterated("bicg", 4.9, 0.4))},
	{"solvers-alike", NotMeasured, list(iterated("cg", 10, 0.4))},
	{"roofline", Holds, roof(9.5, 95)},
	{"roofline", Partly, roof(8, 95)},
	{"roofline", Fails, roof(8, 80)},

	{"agata-fp16", NotHere, list(agata("fgs none FP16 6", 0.99, 1))},
	{"agata-mixed", Holds, list(agata("cfgs none FP32 6", 0.9, 1), agata("cfgs none FP16 6", 0.8, 1), agata("cfgs none mixed 6", 0.88, 1))},
	{"agata-mixed", Fails, list(agata("cfgs none FP32 6", 0.9, 1), agata("cfgs none FP16 6", 0.8, 1), agata("cfgs none mixed 6", 0.87, 1))},
	{"agata-order", Holds, agataOrders(0.9, 0.7, 0.6)},
	{"agata-order", Partly, agataOrders(0.7, 0.8, 0.6)},
	{"agata-order", NotMeasured, agataOrders(0.9, 0.8, 0.7)[:3]},
	{"agata-fp16-table", NotHere, list(agata("fgs none FP16 2", 0, 0.95), agata("fgs nearest FP32 2", 0, 0.9))},
	{"agata-lut-time", Holds, agataTimed("fgs nearest", 0.3)},
	{"agata-lut-time", Fails, agataTimed("fgs nearest", 0.312)}, // the quartiles allow less
	{"agata-cfgs-time", Holds, agataTimed("cfgs none", 0.3)},
	{"agata-cfgs-time", Fails, agataTimed("cfgs none", 0.4)},
	{"agata-both-time", Holds, agataTimed("cfgs nearest", 0.05)},
	{"agata-both-time", Fails, agataTimed("cfgs nearest", 0.06)},
	{"agata-distances", NotHere, agataSpread("agata-distances", "mixed", "distance", 0.2, 0.1, 0.04, 0.03, 0.01)},
	{"agata-energies", Holds, append(agataSpread("agata-energies", "mixed", "energy", 0.1, 0.1, 0.05, 0.05), agataSpread("agata-energies", "FP32", "energy", 0.1, 0.09, 0.05, 0.05)...)},
	{"agata-energies", Partly, append(agataSpread("agata-energies", "mixed", "energy", 0.1, 0.1, 0.05, 0.05), agataSpread("agata-energies", "FP32", "energy", 0.1, 0.1, 0.05, 0.01)...)},
	{"agata-energies", Fails, append(agataSpread("agata-energies", "mixed", "energy", 0.01, 0.01, 0.05, 0.05), agataSpread("agata-energies", "FP32", "energy", 0.1, 0.1, 0.05, 0.01)...)},
	{"agata-stochastic", Holds, list(made("agata-digits", "", numbers{"changed": 0.001, "digits": 6, "digits_least": 5}))},
	{"agata-stochastic", Fails, list(made("agata-digits", "", numbers{"changed": 0.002, "digits": 6, "digits_least": 5}))},
	{"agata-interpolated", Holds, list(agata("fgs linear FP32 2", 1, 1))},
	{"agata-interpolated", Fails, list(agata("fgs linear FP32 2", 0.9, 1))},
	{"agata-interpolated-time", Holds, agataTimed("fgs linear", 0.4)},
	{"agata-interpolated-time", Fails, agataTimed("fgs linear", 0.5)},
	{"cestac-roundings", Holds, list(cestac("roundings", 12, 11.5), cestac("roundings", 9, 12))},
	{"cestac-roundings", Partly, list(cestac("roundings", 12, 11.5), cestac("roundings", 9, 7.5))},
	{"cestac-roundings", Fails, list(cestac("roundings", 12, 10.5), cestac("1e-6", 9, 9))},
	{"cestac-tolerance", Holds, list(cestac("1e-6", 12, 5), cestac("1e-6", 6, 5))},
	{"cestac-tolerance", Fails, list(cestac("1e-6", 6, 5), cestac("roundings", 9, 5))},
	{"promise-residuals", Holds, list(promise(1, 0.2, 0.6), promise(1, 0.5, 0.6))},
	{"promise-residuals", Partly, list(promise(1, 0.2, 0.6), promise(0, 0.4, 0.6))},
	{"promise-residuals", Fails, list(promise(1, 0.9, 0.6), promise(0, 0.8, 0.6))},
	{"promise-moved", Holds, list(promise(1, 0.2, 0.75))},
	{"promise-moved", Partly, list(promise(1, 0.2, 0.9))},
	{"promise-moved", Fails, list(promise(1, 0.2, 1))},

	{"rpre24-storage", Holds, two("AP7RE", withRPRE24, 0.96, 1)},
	{"rpre24-storage", Fails, two("AP7RE", withRPRE24, 1.06, 1)},
	{"rpre24-time", Holds, two("AP7RE", withRPRE24, 1, 1.09)},
	{"rpre24-time", Partly, two("AP7RE", withRPRE24, 1, 0.99)},
	{"rpre24-time", Fails, two("AP7RE", withRPRE24, 1, 1.11)},
	{"exponent-bits", Holds, two(withFP8, withRPRE8, 0.99, 1)},
	{"exponent-bits", Fails, two(withFP8, withRPRE8, 1, 1)},
	{"fp16-range", Holds, half(0.5, 0)},
	{"fp16-range", Fails, half(0.5, 0.1)},
	{"fp16-range", NotMeasured, half(0, 0)},

	{"ginkgo-stream-dot", NotHere, list(streamed("copy", 40), streamed("dot", 36))},
	{"ginkgo-stream-dot", NotMeasured, list(streamed("copy", 40))},
	{"ginkgo-share", NotHere, list(laidOut("csr", 1, 12))},
	{"ginkgo-winner", NotHere, list(laidOut("csr", 1, 12), laidOut("ell", 1.33, 12))},
	{"ginkgo-coo", Holds, list(laidOut("csr", 1, 12), laidOut("coo", 1.33, 16))},
	{"ginkgo-coo", Fails, list(laidOut("csr", 1, 12), laidOut("coo", 1.01, 16))},
}

// streamed returns a kernel of BabelStream.
func streamed(kernel string, gbps float64) Record {
	return made("stream", "n=1000 threads=2 kernel="+kernel, numbers{"gbps": gbps})
}

// laidOut returns a product in a layout, with its time over the fastest and its bytes per element.
func laidOut(layout string, seconds, bytes float64) Record {
	return made("layouts", "layout="+layout, numbers{"seconds": seconds, "time_best": seconds, "bandwidth_share": 1 / seconds, "bytes": bytes / 3 * 1e6})
}

// iterated returns the iterations of a method.
func iterated(method string, gflops, share float64) Record {
	return made("iterations", "method="+method, numbers{"gflops": gflops, "of_bound": share})
}

// dropped returns a matrix stored with dropping alone, with lower precision alone, which takes 1, and with both.
func dropped(matrix string, alone, both float64) []Record {
	return list(stored("formats=AP1 matrix="+matrix, alone, 1),
		stored("formats=AP2 drop=no matrix="+matrix, 1, 1), stored("formats=AP2 matrix="+matrix, both, 1))
}

// coarser returns a solve at 2^-24, with storage 0.5, and a solve at 2^-16.
func coarser(fine, storage, coarse float64) []Record {
	r := solved("formats=AP7 criterion=cw epsilon=2^-16", coarse, 1)
	r.Values["storage"] = storage
	return list(solved(cw, fine, 1), r)
}

// targets returns solves at 2^-24, 2^-20 and 2^-16, which store 0.5, 0.45 and 0.4; iterations 0: not converged.
func targets(fine, between, coarse float64) (l []Record) {
	for k, n := range []float64{fine, between, coarse} {
		r := solved("formats=AP7 criterion=cw epsilon="+[]string{"2^-24", "2^-20", "2^-16"}[k], n, 1)
		r.Values["storage"] = 0.5 - 0.05*float64(k)
		l = append(l, r)
	}
	return l
}

// light returns AFX in a layout, with its storage relative to bucketed CSR.
func light(layout string, share float64) Record {
	return made("product", "formats=AFX epsilon=2^-24 criterion=nw layout="+layout, numbers{"storage": share / 2, "predicted_storage": 0.5})
}

func energy(formats string, joules float64) Record {
	return made("energy", "epsilon=2^-53 formats="+formats, numbers{"joules": joules})
}

// agata returns a search: its algorithm, table, precision and channels.
func agata(search string, identical, within5 float64) Record {
	w := strings.Fields(search)
	return made("agata", "algorithm="+w[0]+" table="+w[1]+" precision="+w[2]+" channels="+w[3], numbers{"identical": identical, "within5": within5})
}

// agataOrders returns the searches of table 5.3, with their points within 5 mm.
func agataOrders(table, coarse, both float64) []Record {
	return list(agata("fgs none FP32 2", 1, 1), agata("fgs nearest FP32 2", 0, table), agata("cfgs none FP32 2", 0, coarse), agata("cfgs nearest FP32 2", 0, both))
}

// agataTimed returns a search with 37 channels whose time is relative to the full search, and a search with 2
// channels, which does not count.
func agataTimed(search string, time float64) []Record {
	at := func(channels string, time float64) Record {
		w := strings.Fields(search)
		return made("agata-time", "algorithm="+w[0]+" table="+w[1]+" precision=FP32 channels="+channels,
			numbers{"time_fgs": time, "time_fgs.q1": 0.99 * time, "time_fgs.q3": 1.01 * time})
	}
	return list(at("37", time), at("2", 0.001))
}

// agataSpread returns the points found differently in each class, with a quarter of the events in each class.
func agataSpread(kind, precision, label string, unfaithful ...float64) (l []Record) {
	for k, class := range map[string][]string{"distance": {"3_mm", "5_mm", "10_mm", "20_mm", "more"}, "energy": {"50_keV", "200_keV", "1_MeV", "5_MeV"}}[label] {
		l = append(l, made(kind, "algorithm=cfgs table=none channels=6 precision="+precision+" "+label+"="+class, numbers{"unfaithful": unfaithful[k], "events": 0.25}))
	}
	return l
}
