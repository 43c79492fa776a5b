// Command mpsolve solves sparse linear systems in files of Matrix Market and other formats.
package main

import (
	"os"

	"github.com/mpsolve/mpsolve/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
