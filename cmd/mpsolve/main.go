// Command mpsolve solves sparse linear systems given as Matrix Market files.
package main

import (
	"os"

	"github.com/mpsolve/mpsolve/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
