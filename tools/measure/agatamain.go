// agata simulates a segmented germanium detector and finds interactions in it, as chapter 5 of [Molina24] does for
// AGATA; docs/agata.md describes it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mpsolve/mpsolve/pkg/parallel"
	"github.com/mpsolve/mpsolve/reproduce/agata"
)

func agataMain() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		stop()
		os.Exit(1)
	}
}

// agataOptions are the options of both commands.
type agataOptions struct {
	channels  string
	events    int
	seed      uint64
	threads   int
	spacing   float64
	noise     float64
	crosstalk float64
}

func root() *cobra.Command {
	var o agataOptions
	c := &cobra.Command{
		Use:   "agata",
		Short: "Find interactions in a simulated germanium detector by a search in a grid of signals",
		Long: `agata simulates a segmented germanium detector such as those of AGATA: the weighting
potentials of its 36 segments and its core, solved for by mpsolve, the drift of electrons and
holes, the signals that they induce, and the electronics. Then it finds where interactions
were, by the signals of a grid of 2 mm.

The same flags give the same bits. Shares of points are those of a simulated crystal: they
show orderings, not the percentages of a real one.`,
		SilenceUsage: true,
	}
	f := c.PersistentFlags()
	f.StringVar(&o.channels, "channels", "2", "channels of the signals: 2, the segment hit and the core; 6, also its neighbours; or 37")
	f.IntVar(&o.events, "events", 5342, "number of events")
	f.Uint64Var(&o.seed, "seed", 1, "of the events")
	f.IntVar(&o.threads, "threads", 0, "number of threads (default: all processors)")
	f.Float64Var(&o.spacing, "spacing", agata.DefaultSpacing, "spacing of the grid of the potentials, mm: a divisor of 90 from 0.5 to 3")
	f.Float64Var(&o.noise, "noise", agata.Typical.Noise, "standard deviation of a sample, keV")
	f.Float64Var(&o.crosstalk, "crosstalk", agata.Typical.Crosstalk, "share of the core's signal that each segment picks up")
	c.AddCommand(simulateCommand(&o), searchCommand(&o))
	return c
}

func simulateCommand(o *agataOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "simulate",
		Short: "Print the signals of events as CSV",
		Long: `simulate prints the signals of events as CSV: a line for each event and channel, with the
segment hit, the energy in keV, the place in mm, and 40 samples at 100 MHz, whose unit is a
thousandth of the energy.`,
		Example: `  agata simulate --events 10 --channels 37 > events.csv
  agata simulate --events 1 --noise 0 --crosstalk 0`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := o.simulation(c.Context())
			if err != nil {
				return err
			}
			defer s.Pool.Close()
			events, err := s.Events(c.Context(), o.events, o.seed, o.electronics())
			if err != nil {
				return err
			}
			for _, e := range events {
				for k, channel := range s.Channels(e.Segment) {
					at := agata.Place(e.At)
					fmt.Fprintf(c.OutOrStdout(), "%d,%d,%.3f,%.3f,%.3f,%.3f", e.Segment, channel, e.Energy, at[0], at[1], at[2])
					for _, x := range e.Trace[k*agata.Samples : (k+1)*agata.Samples] {
						fmt.Fprintf(c.OutOrStdout(), ",%.2f", x)
					}
					if _, err := fmt.Fprintln(c.OutOrStdout()); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

func searchCommand(o *agataOptions) *cobra.Command {
	var algorithm, table, precision string
	c := &cobra.Command{
		Use:   "search",
		Short: "Search for events, and compare with the full search in FP32",
		Example: `  agata search --algorithm cfgs --lut nearest
  agata search --algorithm cfgs --precision mixed
  agata search --algorithm exit --lut linear --events 1000`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			config := agata.Config{
				Algorithm: agata.Algorithm(algorithm), Table: agata.Table(table), Precision: agata.Precision(precision),
			}
			if err := config.Validate(); err != nil {
				return err
			}
			return o.search(c, config)
		},
	}
	f := c.Flags()
	f.StringVar(&algorithm, "algorithm", string(agata.Full), fmt.Sprintf("%v: full, coarse-fine (6 and 2 mm), levels of 18, 6 and 2 mm, full with an early exit", agata.Algorithms))
	f.StringVar(&table, "lut", string(agata.NoTable), fmt.Sprintf("look-up table for powers, %v: of integers as at AGATA, or interpolated", agata.Tables))
	f.StringVar(&precision, "precision", string(agata.FP32), fmt.Sprintf("%v: mixed has FP16 in the coarse grids; FP16 is emulated, so its times mean nothing", agata.Precisions))
	return c
}

func (o *agataOptions) electronics() agata.Electronics {
	e := agata.Typical
	e.Noise, e.Crosstalk = o.noise, o.crosstalk
	return e
}

// simulation computes the potentials; the caller closes its pool.
func (o *agataOptions) simulation(ctx context.Context) (s agata.Simulation, err error) {
	if s.Channels = agata.Channels[o.channels]; s.Channels == nil {
		return s, fmt.Errorf("channels %q: want 2, 6 or 37", o.channels)
	}
	if o.events < 1 {
		return s, errors.New("want at least one event")
	}
	s.Progress = showProgress()
	if s.Detector, err = agata.NewCrystal(ctx, agata.Options{Spacing: o.spacing, Threads: o.threads, Progress: s.Progress}); err == nil {
		s.Pool = parallel.New(o.threads)
	}
	return s, err
}

// search compares a search with the reference.
func (o *agataOptions) search(c *cobra.Command, config agata.Config) error {
	ctx := c.Context()
	s, err := o.simulation(ctx)
	if err != nil {
		return err
	}
	defer s.Pool.Close()
	basis, err := s.Basis(ctx)
	if err != nil {
		return err
	}
	events, err := s.Events(ctx, o.events, o.seed, o.electronics())
	if err != nil {
		return err
	}
	var found [2][]agata.Found
	for k, config := range []agata.Config{agata.Reference, config} {
		searcher, err := agata.New(basis, config)
		if err != nil {
			return err
		}
		start := time.Now()
		if found[k], err = searcher.All(ctx, events, s.Pool, func(done float64) { s.Progress(done, string(config.Algorithm)) }); err != nil {
			return err
		}
		each := time.Since(start) * time.Duration(s.Pool.Threads()) / time.Duration(len(events))
		fmt.Fprintf(c.OutOrStdout(), "%-7s %-8s %-6s %v an event and thread\n", config.Algorithm, config.Table, config.Precision, each.Round(time.Microsecond))
	}
	a := basis.Compare(events, found[1], found[0])
	_, err = fmt.Fprintf(c.OutOrStdout(), `%d events in %d points, %.0f MB of signals
as the reference   %.2f %%
within 5 mm of it  %.2f %%
beyond 20 mm       %.2f %%
within 5 mm of the true place  %.2f %%, median %.1f mm
`, len(events), basis.Points(), float64(basis.Bytes())/1e6, 100*a.Identical, 100*a.Within5, 100*a.Beyond20, 100*a.True5, a.True)
	return err
}

// showProgress returns a function that draws a bar on a terminal.
func showProgress() func(done float64, text string) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return func(float64, string) {}
	}
	bar := progressbar.NewOptions(1000, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionThrottle(100*time.Millisecond))
	var drawing sync.Mutex
	last := ""
	return func(done float64, text string) {
		drawing.Lock()
		defer drawing.Unlock()
		if text != last {
			last = text
			bar.Reset()
			bar.Describe(text)
		}
		if done >= 1 {
			_ = bar.Clear() // a bar that cannot be drawn does no harm
			return
		}
		_ = bar.Set(int(1000 * done))
	}
}
