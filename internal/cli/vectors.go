package cli

import (
	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/solver/options"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// vectorsFlag is the arithmetic of the method's vectors, as options.ParseVectors reads it.
type vectorsFlag string

func (f *vectorsFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "vectors", string(solve.VectorsDouble),
		"arithmetic of the method's vectors: double, dd (double-double, 106 bits), auto (dd once double cannot go on) "+
			"or dq:P,V (dd once the deviation of the last P residual norms is below V; dq is dq:100,0.01)")
	completeWords(c, "vectors", options.VectorKinds)
}

// vectors returns the value of solve.Options.Vectors. Values other than double exclude checkpoints.
func (f vectorsFlag) vectors(checkpoint checkpointFlags) (v solve.Vectors, err error) {
	if v, err = options.ParseVectors(string(f)); err != nil {
		return v, usage("--%v", err)
	}
	if v.Kind != solve.VectorsDouble && (checkpoint.file != "" || checkpoint.resume != "") {
		return v, usage("--vectors %s: there are no checkpoints of other vectors than double", f)
	}
	return v, nil
}
