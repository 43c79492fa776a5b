package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

func newGenerate(s streams) *cobra.Command {
	c := group(&cobra.Command{
		Use: "generate KIND", Short: "Write a test matrix",
		Example: "  mpsolve generate poisson2d --n 100 -o poisson.mtx.gz\n  mpsolve generate elasticity3d --help",
	}, "kind")
	for _, k := range generate.Kinds() {
		c.AddCommand(newGenerateKind(s, k))
	}
	return c
}

func unknownKind(name string) error {
	var names []string
	for _, k := range generate.Kinds() {
		names = append(names, k.Name)
	}
	return usage("unknown kind %q; did you mean %s?", name, host.NearestWord(name, names))
}

func newGenerateKind(s streams, k generate.Kind) *cobra.Command {
	var output, coordinates string
	values := make([]float64, len(k.Params))
	c := &cobra.Command{
		Use: k.Name, Short: k.Help, Long: k.Help + "\n\n" + k.Use, Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			p, comment := generate.Params{}, "mpsolve generate "+k.Name
			for i, q := range k.Params {
				if f := c.Flags().Lookup(q.Name); f.Changed {
					p[q.Name] = values[i]
					comment += fmt.Sprintf(" --%s %s", q.Name, f.Value)
				}
			}
			rows, nnz, err := k.Estimate(p)
			if err != nil {
				return usage("%s", oneLine(err))
			}
			if need, free := csr.Bytes(rows, nnz), host.Available(); free > 0 && need > free {
				return fmt.Errorf("generate %s: %d x %d with %d nonzeros takes %s of memory, this process can have %s",
					k.Name, rows, rows, nnz, humanize.Bytes(uint64(need)), humanize.Bytes(uint64(free)))
			}
			if output == "-" {
				output = ""
			}
			if err := checkOutput("output", output); err != nil {
				return err
			}
			if err := checkCoordinates(k, coordinates, output); err != nil {
				return err
			}
			ctx := c.Context()
			return abandonable(ctx, 0, func() error { // a signal ends it in any state
				if coordinates != "" {
					if err := writeCoordinates(ctx, coordinates, k, p, comment); err != nil {
						return err
					}
				}
				m, err := generate.Generate(k.Name, p)
				if err != nil {
					return err
				}
				write := func(w io.Writer) error {
					return matrixmarket.Write(heeding{ctx, w}, m, matrixmarket.WriteOptions{Symmetric: k.Symmetric, Comments: []string{comment}})
				}
				if output == "" {
					return write(s.out)
				}
				return writeUncounted(ctx, output, write)
			})
		},
	}
	for i, q := range k.Params {
		c.Flags().Float64Var(&values[i], q.Name, q.Default, q.Help)
	}
	c.Flags().StringVarP(&output, "output", "o", "", "`file` to write (.mtx or .mtx.gz); standard output if not given")
	c.Flags().StringVar(&coordinates, "coordinates", "", "`file` for the coordinates of the nodes, in steps of the grid, one node per row")
	return c
}

// checkCoordinates checks, before any work, that the file of --coordinates can be written.
func checkCoordinates(k generate.Kind, path, output string) error {
	if path == "" {
		return nil
	}
	if !k.OnGrid {
		var names []string
		for _, other := range generate.Kinds() {
			if other.OnGrid {
				names = append(names, other.Name)
			}
		}
		return usage("--coordinates: %s has no grid; kinds with a grid: %s", k.Name, strings.Join(names, ", "))
	}
	if output != "" && (filepath.Clean(path) == filepath.Clean(output) || host.Same(path, output)) {
		return usage("--coordinates %s: is also the output", path)
	}
	return checkOutput("coordinates", path)
}

// writeCoordinates writes the coordinates of the nodes as a Matrix Market array.
func writeCoordinates(ctx context.Context, path string, k generate.Kind, p generate.Params, comment string) error {
	count, dim, colMajor, err := k.Coordinates(p)
	if err != nil {
		return err
	}
	return writeUncounted(ctx, path, func(w io.Writer) error {
		opt := matrixmarket.WriteOptions{Comments: []string{"nodes of " + comment}}
		return matrixmarket.WriteDense(heeding{ctx, w}, count, dim, colMajor, nil, opt)
	})
}
