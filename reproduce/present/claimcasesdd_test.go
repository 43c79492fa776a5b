package present

import "github.com/mpsolve/mpsolve/reproduce/records"

// ddSolved returns solves by vectors with so many iterations, 0 for a solve that does not converge.
func ddSolved(iterations map[string]float64) (l []records.Record) {
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

func ddProduct(words string, time float64) records.Record {
	return made("dd-product", "elements=double "+words, numbers{"time_double": time, "seconds": time})
}

func init() {
	add := func(id string, want Verdict, list ...records.Record) {
		cases = append(cases, struct {
			id   string
			want Verdict
			list []records.Record
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
	iteration := func(vectors string, time float64) records.Record {
		return made("dd-bicg", "max_iter=100 vectors="+vectors, numbers{"iteration_double": time})
	}
	add("dd-full", Holds, iteration("dd", 1.2), iteration("all", 2.1))
	add("dd-full", Fails, iteration("dd", 1.2), iteration("all", 2.09))
	axpy := func(kernel string, time float64) records.Record {
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
