package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// duration is the value of a flag such as 90s or 2h; a number without a unit counts seconds.
type duration time.Duration

// addDuration adds a flag whose value is a duration.
func addDuration(fl *pflag.FlagSet, to *time.Duration, name string, value time.Duration, help string) {
	*to = value
	fl.Var((*duration)(to), name, help)
}

func (d *duration) String() string {
	if *d == 0 {
		return "0"
	}
	return time.Duration(*d).String()
}
func (d *duration) Type() string { return "duration" }

func (d *duration) Set(text string) error {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if !(math.Abs(seconds) <= time.Duration(math.MaxInt64).Seconds()) {
			return fmt.Errorf("%s seconds are too many", text)
		}
		*d = duration(seconds * float64(time.Second))
		return nil
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("want a time such as 90s, 15m or 2h, or a number of seconds")
	}
	*d = duration(v)
	return nil
}
