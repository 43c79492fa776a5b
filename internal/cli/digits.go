package cli

import (
	"context"
	"io"
	"math/big"
	"slices"
	"strconv"

	"github.com/mpsolve/mpsolve/internal/solver/rules"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
	"github.com/spf13/cobra"
)

// digitsFlag is the value of --digits: auto, none or a number.
type digitsFlag string

// digitsWords are the values of --digits other than numbers.
var digitsWords = []string{"auto", "none"}

func (f *digitsFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "digits", "auto",
		"digits of x to reach: a number, auto (as many as are cheap) or none (do not estimate them); above 15, x has multiple precision")
	completeWords(c, "digits", digitsWords)
}

// digits returns the value of solve.Options.Digits.
func (f digitsFlag) digits() (int, error) {
	switch f {
	case "", "auto":
		return 0, nil
	case "none":
		return solve.NoDigits, nil
	}
	n, err := strconv.Atoi(string(f))
	if err != nil || n < 1 || n > solve.MaxPreciseDigits {
		return 0, usage("--digits %s: want auto, none or a number from 1 to %d", f, solve.MaxPreciseDigits)
	}
	return n, nil
}

// bitsFlag is the value of --x-bits. The digits to reach are by default all that these bits hold.
type bitsFlag int

func (f *bitsFlag) add(c *cobra.Command) {
	c.Flags().IntVar((*int)(f), "x-bits", 0, "bits of an x in multiple precision, 106 to 1696; without --digits, the digits to reach are all that these bits hold")
}

// check sets Bits of the options, and Digits unless --digits was given. Options must have the value of --digits already.
func (f bitsFlag) check(c *cobra.Command, opt *solve.Options) error {
	if !c.Flags().Changed("x-bits") {
		return nil
	}
	if f < rules.MinBits || f > rules.MaxBits {
		return usage("--x-bits %d: want a number from %d to %d", f, rules.MinBits, rules.MaxBits)
	}
	most := rules.DigitsOfBits(int(f))
	if c.Flags().Changed("digits") {
		if opt.Digits <= solve.MaxDigits || opt.Digits > most {
			return usage("--x-bits %d: want --digits %d to %d", f, solve.MaxDigits+1, most)
		}
	} else {
		opt.Digits = most
	}
	opt.Bits = int(f)
	return nil
}

// floatDigits is the number of decimal digits that identify every float64.
const floatDigits = 17

// write writes x, with the digits that were asked for, or with those that can be believed if these are fewer.
func (r *solveRun) write(ctx context.Context) (string, error) {
	if !slices.ContainsFunc(r.precise, func(p *solve.Precise) bool { return p != nil }) {
		return r.problem.write(ctx, r.output, r.x)
	}
	digits := make([]int, len(r.x))
	for k, p := range r.precise {
		if digits[k] = floatDigits; p != nil {
			digits[k] = max(digits[k], min(p.Asked, p.Believed))
		}
	}
	at := func(i, k int) *big.Float {
		if p := r.precise[k]; p != nil {
			return p.X.At(i)
		}
		return big.NewFloat(r.x[k][i])
	}
	if s, yes := r.problem.(spread); yes {
		return s.job.writeX(ctx, r.output, s.N, r.x, matrixmarket.WriteOptions{Digits: digits, At: at})
	}
	return writeOrElsewhere(ctx, r.output, func(to io.Writer) error {
		return matrixmarket.WriteDensePrecise(to, len(r.x[0]), digits, at, matrixmarket.WriteOptions{})
	})
}
