package records

// ddSolved returns solves by vectors with so many iterations, 0 for a solve that does not converge.
func ddSolved(iterations map[string]float64) (l []Record) {
	for _, vectors := range []string{"double", "p", "p*", "p,p*", "dd", "dq:1e-1"} {
		n, ok := iterations[vectors]
		if !ok {
			continue
		}
		v := numbers{"converged": 1, "iterations": n}
		if n == 0 {
			v["converged"], v["iterations"] = 0, 20000
		}
		l = append(l, made("dd-bicg", "max_iter=20000 vectors="+vectors, v))
	}
	return l
}

func ddProduct(words string, time float64) Record {
	return made("dd-product", "elements=double "+words, numbers{"time_double": time, "seconds": time})
}

func init() {
	add := func(id string, want Verdict, list ...Record) {
		cases = append(cases, struct {
			id   string
			want Verdict
			list []Record
		}{id, want, list})
	}
	add("dd-product", Holds, ddProduct("transposed=no layout=csr", 1.29))
	add("dd-product", Fails, ddProduct("transposed=no layout=csr", 1.3), ddProduct("transposed=yes layout=csr", 1))
	add("dd-product", Partly, ddProduct("transposed=no layout=a", 1.2), ddProduct("transposed=no layout=b", 1.25), ddProduct("transposed=no layout=c", 2))
	add("dd-transposed", Holds, ddProduct("transposed=yes layout=csr", 1.19))
	add("dd-transposed", Fails, ddProduct("transposed=yes layout=csr", 1.2), ddProduct("transposed=no layout=csr", 1))
	add("dd-bcrs", Holds, ddProduct("transposed=no layout=csr", 1), ddProduct("transposed=no layout=bcrs4x1", 0.99))
	add("dd-bcrs", Fails, ddProduct("transposed=no layout=csr", 1), ddProduct("transposed=no layout=bcrs4x1", 1))
	add("dd-bcrs", Partly, ddProduct("transposed=no layout=csr", 1), ddProduct("transposed=no layout=bcrs4x1", 2),
		ddProduct("transposed=yes layout=csr", 1), ddProduct("transposed=yes layout=bcrs4x1", 0.5))
	iteration := func(vectors string, time float64) Record {
		return made("dd-bicg", "max_iter=100 vectors="+vectors, numbers{"iteration_double": time})
	}
	add("dd-full", Holds, iteration("dd", 1.2), iteration("all", 2.1))
	add("dd-full", Fails, iteration("dd", 1.2), iteration("all", 2.09))
	axpy := func(kernel string, time float64) Record {
		return made("dd-vectors", "kernel="+kernel, numbers{"time_double": time})
	}
	add("dd-vector-time", Holds, axpy("axpy", 2))
	add("dd-vector-time", Fails, axpy("axpy", 1.99))
	add("dd-vector-time", Partly, axpy("dot", 1.5), axpy("axpy", 2), axpy("xpay", 2.1))
	add("dd-parts", Holds, ddSolved(map[string]float64{"p": 950, "p*": 0, "dd": 1000})...)
	add("dd-parts", Holds, ddSolved(map[string]float64{"p,p*": 0, "dd": 1000})...)
	add("dd-parts", Partly, ddSolved(map[string]float64{"p": 900, "p*": 0, "dd": 1000})...)
	add("dd-parts", Fails, ddSolved(map[string]float64{"p": 900, "p*": 1000, "dd": 1000})...)
	add("dd-robust", Holds, ddSolved(map[string]float64{"double": 0, "dd": 1000})...)
	add("dd-robust", Partly, ddSolved(map[string]float64{"double": 1200, "dd": 1000})...)
	add("dd-robust", Fails, ddSolved(map[string]float64{"double": 1200, "dd": 0})...)
	add("dd-switch", Holds, ddSolved(map[string]float64{"dq:1e-1": 1240, "dd": 1000})...)
	add("dd-switch", Partly, ddSolved(map[string]float64{"dq:1e-1": 1250, "dd": 1000})...)
	add("dd-switch", Fails, ddSolved(map[string]float64{"dq:1e-1": 0, "dd": 1000})...)
}

func init() {
	add := func(id string, list []Record, want Verdict) {
		cases = append(cases, struct {
			id   string
			want Verdict
			list []Record
		}{id, want, list})
	}
	timed := func(words string, ns float64) Record { return made("mp", words, numbers{"term_ns": ns}) }
	growth := func(ns float64, width string) []Record {
		form := "operation=gemv implementation=mpres significand=" + width + " bits="
		return list(timed(form+"106", 10), timed(form+"1696", ns), timed("operation=gemv implementation=limbs bits=1696", 1e6))
	}
	add("mpres-linear", append(growth(200, "53"), growth(200, "all")...), Holds)
	add("mpres-linear", append(growth(200, "53"), growth(201, "all")...), Partly)
	add("mpres-linear", append(growth(201, "53"), growth(201, "all")...), Fails)
	add("mpres-linear", growth(200, "all"), NotMeasured)
	add("mpres-linear", list(timed("operation=gemv implementation=mpres bits=106", 10), timed("operation=gemv implementation=mpres bits=1696", 10)), NotMeasured)
	forms := func(ns ...float64) (l []Record) {
		for k, bits := range []string{"106", "212", "424"}[:len(ns)] {
			l = append(l, timed("operation=gemv implementation=mpres bits="+bits, ns[k]), timed("operation=gemv implementation=mpres-by-number bits="+bits, 10))
		}
		return l
	}
	add("mpres-rearranged", forms(5, 9, 9.9), NotHere)
	transposed := func(ns float64) []Record {
		return list(timed("operation=gemv implementation=mpres bits=106", 10), timed("operation=gemv-t implementation=mpres bits=106", ns),
			timed("operation=gemv implementation=limbs bits=106", 10), timed("operation=gemv-t implementation=limbs bits=106", 30))
	}
	add("mpres-transposed", transposed(9), Holds)
	add("mpres-transposed", transposed(10), Fails)
	sums := func(share float64) []Record {
		return list(made("mpres-steps", "step=sums bits=424 significand=53", numbers{"step_share": share}),
			made("mpres-steps", "step=sums bits=424 significand=424", numbers{"step_share": 1 - share}))
	}
	add("mpres-sums", sums(0.5), Holds)
	add("mpres-sums", sums(0.49), Fails)
}

// gmresOf returns a solve with a product and a basis, and the same solve with another product and basis.
func gmresOf(product, basis, other, otherBasis, value string, ratio float64) []Record {
	one := func(product, basis string, v float64) Record {
		return made("gmres", "restart=40 product="+product+" basis="+basis, numbers{value: v, "converged": 1})
	}
	return list(one(product, basis, 1), one(other, otherBasis, ratio))
}

// dotOf returns an inner product of a decaying vector, with that time and error.
func dotOf(seconds, error float64) []Record {
	return list(made("dot", "kernel=dot distribution=decaying order=given", numbers{"time_fp64": seconds, "error_epsilon": error}))
}

func init() {
	add := func(id string, want Verdict, list []Record) {
		cases = append(cases, struct {
			id   string
			want Verdict
			list []Record
		}{id, want, list})
	}
	add("dot-bound", Holds, dotOf(1, 1))
	add("dot-bound", Fails, dotOf(1, 1.01))
	add("dot-bound", Partly, append(dotOf(1, 1), dotOf(2, 2)[0], made("dot", "distribution=uniform", numbers{"error_epsilon": 0.5})))
	add("dot-time", Holds, dotOf(0.9, 1))
	add("dot-time", Fails, dotOf(1, 1))
	for _, c := range []struct {
		id, product, basis, other, otherBasis, value string
		below                                        float64
	}{
		{"basis-iterations", "FP64", "fp64", "FP64", "adaptive", "iterations", 1.05},
		{"basis-bytes", "FP64", "fp64", "FP64", "adaptive", "basis_read", 1},
		{"basis-time", "FP64", "vectors", "FP64", "adaptive", "time_plain", 1},
		{"relaxed-bytes", "FP64", "vectors", "relaxed", "vectors", "matrix_read", 1},
		{"relaxed-refined", "refined", "vectors", "relaxed", "vectors", "matrix_read", 1},
	} {
		add(c.id, Holds, gmresOf(c.product, c.basis, c.other, c.otherBasis, c.value, 0.99*c.below))
		add(c.id, Fails, gmresOf(c.product, c.basis, c.other, c.otherBasis, c.value, c.below))
	}
}
