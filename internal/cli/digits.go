package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mpsolve/mpsolve/pkg/solve"
)

// digitsFlag is the flag that asks for digits of x: auto, none or a number.
type digitsFlag string

// digitsWords are its values in words.
var digitsWords = []string{"auto", "none"}

func (f *digitsFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "digits", "auto",
		"digits of x to go on for: a number, auto (as many as are cheap) or none (do not estimate them)")
	completeWords(c, "digits", digitsWords)
}

// digits is the value for solve.Options.
func (f digitsFlag) digits() (int, error) {
	switch f {
	case "", "auto":
		return 0, nil
	case "none":
		return solve.NoDigits, nil
	}
	n, err := strconv.Atoi(string(f))
	if err != nil || n < 1 || n > solve.MaxDigits {
		return 0, usage("--digits %s: want auto, none or a number from 1 to %d", f, solve.MaxDigits)
	}
	return n, nil
}
