package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/internal/host"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/internal/mpi"
	"github.com/mpsolve/mpsolve/internal/report"
	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

const calibrateLong = `Measure this processor, so that the choice of layouts fits it.

A model of the time of a product chooses how the matrix is stored. mpsolve has models of a few processors, and uses the
nearest one by default. A processor that it does not know is measured in 0.3 s by the first command that chooses
a layout, unless --max-memory is below 512MB or the environment has MPSOLVE_MODEL=table. calibrate takes some three seconds, and more care, to measure
the memory and small products in every layout; the machine should be idle otherwise. It prints both models, and keeps
the new one in the user's cache folder, under the names of the processor and of the set of kernels. From then on solve,
spmv, info and bench spmv choose by the new model. So runs before and after a calibration may differ in the last bits of
x; runs between two calibrations do not. "mpsolve version --verbose" names the model in use.`

func newCalibrate(s streams) *cobra.Command {
	var remove bool
	var names []string
	c := &cobra.Command{
		Use: "calibrate", Short: "Measure this processor for the choice of layouts", Long: calibrateLong,
		Example: "  mpsolve calibrate\n  mpsolve calibrate --kernels all\n  mpsolve calibrate --remove",
		Args:    exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			sets, err := kernelSets(names)
			if err != nil {
				return err
			}
			for _, k := range sets {
				switch {
				case remove:
					err = removeModel(s.out, k)
				case len(sets) > 1 && !k.HasFastSlots(): // "all" skips sets of kernels that need no model
					continue
				default:
					err = abandonable(c.Context(), 0, func() error { return calibrate(c.Context(), s, k) })
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringSliceVar(&names, "kernels", nil, "list of sets of kernels: "+strings.Join(kernels.Names(), ", ")+"; all: those of this processor (default: the one in use)")
	completeWords(c, "kernels", append([]string{"all"}, kernels.Names()...))
	c.Flags().BoolVar(&remove, "remove", false, "remove the measured model")
	return c
}

// calibrationKinds are small matrices, whose products use all kinds of instructions.
var calibrationKinds = []string{
	"poisson2d,n=50,decades=4", "poisson3d,n=14", "elasticity3d,n=7", "stencil27,n=12,window=500", "wathen,nx=20,ny=20", "powerlaw,n=4000",
}

// measureModel measures the model of this processor with a set of kernels, and keeps it in a file.
func measureModel(ctx context.Context, k *kernels.Set, path, when string, effort lab.Effort) (*adaptive.Model, error) {
	matrices := []*csr.Matrix{lab.Scattered(15_000, 400_000, 8)} // whose x is larger than the cache of a core
	for _, text := range calibrationKinds {
		named, err := generated(text, 0)
		if err != nil {
			return nil, err
		}
		m, err := named.load(ctx)
		if err != nil {
			return nil, err
		}
		matrices = append(matrices, m)
	}
	known := *adaptive.ModelOf(k.String())
	caches := host.Caches()
	if caches.L2 > 0 {
		known.Sizes.Near = caches.L2
	}
	effort.Array = min(effort.Array, max(4*caches.L3, 64<<20))
	if free := host.Available(); free > 0 {
		effort.Array = max(min(effort.Array, free/8), 8*known.Sizes.Near)
	}
	measured, err := lab.Calibrate(ctx, k, fmt.Sprintf("%s, measured %s", modelKey(k), when), &known, matrices, effort)
	if err != nil {
		return nil, err
	}
	return measured, host.WriteContext(ctx, path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(measured)
	})
}

func calibrate(ctx context.Context, s streams, k *kernels.Set) error {
	if !k.HasFastSlots() {
		return errors.New("nothing to calibrate: on this processor, or with these kernels, auto is always FP64 CSR")
	}
	path, err := newModelPath(k)
	if err != nil {
		return err
	}
	status := newStatusLine(s.err)
	defer status.done()
	status.show(func(int) string { return "measuring products and the memory" })
	measured, err := measureModel(ctx, k, path, time.Now().Format(time.DateOnly), lab.Thorough)
	if err != nil {
		return err
	}
	out := &firstError{w: s.out}
	report.Models(out, adaptive.ModelOf(k.String()), measured)
	fmt.Fprintf(out, "written to %s\n", path)
	return out.err
}

// removeModel removes the measured model of a set of kernels, if there is one.
func removeModel(w io.Writer, k *kernels.Set) error {
	path, err := modelPath(k)
	if err != nil {
		return err
	}
	switch err := os.Remove(path); {
	case errors.Is(err, fs.ErrNotExist):
		_, err = fmt.Fprintln(w, "there is no measured model")
		return err
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(w, "removed %s\n", path)
	return err
}

// modelKey returns a name for this processor with a set of kernels.
func modelKey(k *kernels.Set) string { return host.ProcessorModel() + ", " + k.String() }

// cacheFolder returns the user's folder for what can be measured or downloaded again.
func cacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "mpsolve"), err
}

// modelPath returns the path of the measured model of this processor with a set of kernels.
func modelPath(k *kernels.Set) (string, error) {
	dir, err := cacheFolder()
	if err != nil {
		return "", err
	}
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(modelKey(k)))
	return filepath.Join(dir, "products-"+word+".json"), nil
}

// newModelPath returns modelPath where a model can be kept: it makes the folder.
func newModelPath(k *kernels.Set) (string, error) {
	path, err := modelPath(k)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if err := host.Check(path); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return path, nil
}

// modelVariable names the environment variable that, as "table", keeps mpsolve from measuring the processor.
const modelVariable = "MPSOLVE_MODEL"

// letsMeasure reports whether a processor can be measured within a limit on the memory of a command.
func letsMeasure(limit memorySize) bool { return limit == 0 || limit >= 512e6 }

// model returns the measured model of the default kernels; nil: use the built-in table. Unless measure is true, an unknown processor is
// not measured.
func model(measure bool) (*adaptive.Model, error) {
	if !measure {
		return modelOf(kernels.Default())
	}
	return defaultModel()
}

var defaultModel = sync.OnceValues(func() (*adaptive.Model, error) {
	_, known := adaptive.LookupModel("")
	return firstModel(kernels.Default(), known, lab.Quick)
})

// firstModel returns the measured model of a set of kernels. If there is none, and the processor is not known to the table, it is
// measured, in 0.3 s, and the model is kept for all later runs. firstModel returns nil where the model cannot be kept, or where other
// programs or ranks run beside this one.
func firstModel(k *kernels.Set, known bool, effort lab.Effort) (*adaptive.Model, error) {
	m, err := modelOf(k)
	if m != nil || err != nil || known || os.Getenv(modelVariable) == "table" || !k.HasFastSlots() || mpi.Launched() {
		return m, err
	}
	path, err := newModelPath(k)
	if err != nil {
		return nil, nil
	}
	defer debug.FreeOSMemory() // which counts against the limits on the memory of the command
	if m, err = measureModel(context.Background(), k, path, time.Now().Format(time.DateOnly)+" at the first use", effort); err != nil {
		return nil, nil
	}
	return m, nil
}

// modelOf returns the measured model of this processor with a set of kernels; nil: use the built-in table.
func modelOf(k *kernels.Set) (*adaptive.Model, error) {
	if os.Getenv(modelVariable) == "table" {
		return nil, nil
	}
	path, err := modelPath(k)
	if err != nil {
		return nil, nil // no folder, no model
	}
	return readModel(path)
}

// readModel reads a model. It returns nil if there is no file, if the user may not read the folder, or if the path leads
// through something that is not a folder.
func readModel(path string) (*adaptive.Model, error) {
	data, err := os.ReadFile(path)
	for _, none := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR} {
		if errors.Is(err, none) {
			return nil, nil
		}
	}
	m := new(adaptive.Model)
	if err == nil {
		err = json.Unmarshal(data, m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; mpsolve calibrate makes it again, calibrate --remove removes it", path, err)
	}
	return m, nil
}

// modelText describes the model in use in one line.
func modelText() string {
	switch m, err := modelOf(kernels.Default()); {
	case err != nil:
		return err.Error()
	case m != nil:
		return m.Name
	}
	return adaptive.ModelOf("").Name + ", of the table"
}
