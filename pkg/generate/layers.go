package generate

import "github.com/mpsolve/mpsolve/internal/parallel"

// layers draws a coefficient for each cell: log-normal over some decades in grains, times
// the coefficient of its layer, evenly spread over the decades of the jumps; every
// fifth layer is softer by some decades more. The extremes of random numbers grow
// with their count, and the norm of the matrix grows with them; the extremes of a bounded
// coefficient do not.
func layers(pool *parallel.Pool, v values) field {
	f := grains(pool, v, v.seed())
	jump, soft, seed, bounded := v["jump"], v["soft"], v.seed(), v["bounded"] != 0
	eachRow(pool, len(f.value), func(i int) {
		_, _, z := f.at(i)
		layer := z / v.int("thickness")
		if count := v.int("layers"); count > 0 {
			layer = z * count / f.nz
		}
		u := uniform(hash(seed, layer))
		if bounded {
			u = rocks[layer%len(rocks)]
		}
		f.value[i] *= pow10(jump * (u - 0.5))
		if layer%len(rocks) == len(rocks)-1 {
			f.value[i] *= pow10(-soft)
		}
	})
	return f
}

// rocks are the kinds of rock that bounded layers have in turn.
var rocks = [5]float64{0.5, 1, 0.75, 0.25, 0}

// grains draws the log-normal coefficients of layers alone.
func grains(pool *parallel.Pool, v values, seed uint64) field {
	cells, decades, grain := cube(3, v.int("n")+1), v["decades"], v.int("grain")
	if v["bounded"] == 0 {
		return logNormalField(pool, cells, decades, grain, seed)
	}
	f := field{cells, make([]float64, cells.points())}
	eachRow(pool, len(f.value), func(i int) {
		x, y, z := f.at(i)
		f.value[i] = pow10(decades * boundedNormal(stratified(seed, x/grain, y/grain, z/grain)) / 6)
	})
	return f
}

// layerParams returns the parameters of layers; what names the coefficient.
func layerParams(what string, decades float64) []Param {
	return []Param{
		decadesParam("decades of "+what+" within a layer", decades), grainParam(),
		{Name: "jump", Help: "decades of " + what + " from layer to layer", Default: 0, Max: 100},
		{Name: "thickness", Help: "thickness of a layer, in cells", Default: 4, Min: 1, Max: 1 << 20, Whole: true},
		{Name: "layers", Help: "number of layers, of equal thickness; 0 for as many as thickness makes", Default: 0, Max: 1 << 20, Whole: true},
		{Name: "soft", Help: "decades by which every fifth layer is softer", Default: 0, Max: 100},
		boundedParam("5/6 of the decades at most, and layers of five kinds in turn"),
		seedParam(),
	}
}

// boundedParam says what is bounded.
func boundedParam(what string) Param {
	return Param{Name: "bounded", Help: "1 for extremes that do not grow with n: " + what, Default: 0, Max: 1, Whole: true}
}
