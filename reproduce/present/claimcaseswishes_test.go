package present

import "github.com/mpsolve/mpsolve/reproduce/records"

// gmresOf returns a solve with a product and a basis, and the same solve with another product and basis.
func gmresOf(product, basis, other, otherBasis, value string, ratio float64) []records.Record {
	one := func(product, basis string, v float64) records.Record {
		return made("gmres", "restart=40 product="+product+" basis="+basis, numbers{value: v, "converged": 1})
	}
	return list(one(product, basis, 1), one(other, otherBasis, ratio))
}

// dotOf returns an inner product of a decaying vector, with that time and error.
func dotOf(seconds, error float64) []records.Record {
	return list(made("dot", "kernel=dot distribution=decaying order=given", numbers{"time_fp64": seconds, "error_epsilon": error}))
}

func init() {
	add := func(id string, want Verdict, list []records.Record) {
		cases = append(cases, struct {
			id   string
			want Verdict
			list []records.Record
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
