package records_test

import (
	"github.com/mpsolve/mpsolve/reproduce"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

func init() { records.Complete = reproduce.Complete }
