package present

import "github.com/mpsolve/mpsolve/reproduce/records"

func init() {
	add := func(id string, list []records.Record, want Verdict) {
		cases = append(cases, struct {
			id   string
			want Verdict
			list []records.Record
		}{id, want, list})
	}
	timed := func(words string, ns float64) records.Record { return made("mp", words, numbers{"term_ns": ns}) }
	growth := func(ns float64) []records.Record {
		const form = "operation=gemv implementation=mpres bits="
		return list(timed(form+"106", 10), timed(form+"1696", ns), timed("operation=gemv implementation=limbs bits=1696", 1e6))
	}
	add("mpres-linear", growth(200), Holds)
	add("mpres-linear", growth(201), Fails)
	forms := func(ns ...float64) (l []records.Record) {
		for k, bits := range []string{"106", "212", "424"}[:len(ns)] {
			l = append(l, timed("operation=gemv implementation=mpres bits="+bits, ns[k]), timed("operation=gemv implementation=mpres-by-number bits="+bits, 10))
		}
		return l
	}
	add("mpres-rearranged", forms(5, 9, 9.9), Holds)
	add("mpres-rearranged", forms(5, 9, 20), Partly)
	add("mpres-rearranged", forms(11, 12), Fails)
	transposed := func(ns float64) []records.Record {
		return list(timed("operation=gemv implementation=mpres bits=106", 10), timed("operation=gemv-t implementation=mpres bits=106", ns),
			timed("operation=gemv implementation=limbs bits=106", 10), timed("operation=gemv-t implementation=limbs bits=106", 30))
	}
	add("mpres-transposed", transposed(9), Holds)
	add("mpres-transposed", transposed(10), Fails)
	sums := func(share float64) []records.Record {
		return list(made("mpres-steps", "step=sums bits=424 significand=53", numbers{"step_share": share}),
			made("mpres-steps", "step=sums bits=424 significand=424", numbers{"step_share": 1 - share}))
	}
	add("mpres-sums", sums(0.5), Holds)
	add("mpres-sums", sums(0.49), Fails)
}
