package reproduce

import (
	"context"
	"maps"
	"slices"

	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// scaling is the kind of measurement of products on a growing number of threads: speedup and efficiency are relative
// to one thread, timed interleaved with the others, so that the efficiency on one thread is 100 %.
func scaling() kind {
	return kind{
		name: "scaling", text: "products on a growing number of threads", matrix: true,
		labels:   append(storedLabels(), threads("each")),
		values:   append([]string{"seconds", "speedup", "efficiency", "gbps"}, storageValues...),
		exists:   storedExists,
		cost:     productCost,
		unitNorm: true, together: but(threadsLabel),
		measure: measureScaling,
	}
}

func measureScaling(ctx context.Context, in input, points []point) error {
	m := in.matrix
	all := slices.Clone(points)
	alone := slices.IndexFunc(all, func(p point) bool { return p.threads() == 1 })
	if alone < 0 { // on record
		alone = len(all)
		one := maps.Clone(all[0])
		one[threadsLabel] = "1"
		all = append(all, one)
	}
	var products []lab.Product
	for _, p := range all {
		spec, err := p.spec()
		if err != nil {
			return err
		}
		pool := parallel.New(p.threads())
		defer pool.Close()
		product, _, err := store(m, spec, pool)
		if err != nil {
			return err
		}
		products = append(products, product)
	}
	if err := lab.MeasureProducts(ctx, m, ones(m.Cols), products, in.pool, in.timing()); err != nil {
		return err
	}
	for k, p := range points {
		product := products[k]
		speedup := products[alone].Median / product.Median
		values := map[string]float64{
			"seconds": product.Median, "speedup": speedup, "efficiency": speedup / float64(p.threads()),
			"gbps": float64(product.Moved()) / product.Median / 1e9,
		}
		storageOf(values, m, product.Bytes)
		if err := in.emit(p, result{values: values, notes: map[string]string{"layout": product.Layout}}); err != nil {
			return err
		}
	}
	return nil
}
