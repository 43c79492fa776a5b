package reproduce

import (
	"context"
	"time"

	"github.com/mpsolve/mpsolve/lab"
)

// energyOfProducts is the kind of measurement of the energy of a product: what the processor and its memory use in
// total.
func energyOfProducts() kind {
	return kind{
		name: "energy", text: "energy of a product, from the counters of the processor (Linux, usually as root)", matrix: true,
		labels: append(storedLabels(), threads("all")),
		values: append([]string{"joules", "seconds"}, storageValues...),
		exists: storedExists,
		available: func() error {
			_, err := lab.OpenEnergyMeter()
			return err
		},
		cost:     func(point, float64) float64 { return energyTime.Seconds() },
		unitNorm: true,
		measure:  measureEnergy,
	}
}

// energyTime is how long products run for one measurement.
const energyTime = 2 * time.Second

func measureEnergy(ctx context.Context, in input, points []point) error {
	spec, err := points[0].spec()
	if err != nil {
		return err
	}
	product, a, err := store(in.matrix, spec, in.pool)
	if err != nil {
		return in.emitReason(err.Error(), points...)
	}
	meter, err := lab.OpenEnergyMeter()
	if err != nil {
		return err
	}
	x, y := ones(in.matrix.Cols), make([]float64, in.matrix.Rows)
	count, start := 0, time.Now()
	for ; time.Since(start) < energyTime; count++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.Apply(y, x)
	}
	seconds := time.Since(start).Seconds() / float64(count)
	joules, err := meter.Joules()
	if err != nil {
		return err
	}
	values := map[string]float64{"joules": joules / float64(count), "seconds": seconds}
	storageOf(values, in.matrix, product.Bytes)
	return in.emit(points[0], result{values: values})
}
