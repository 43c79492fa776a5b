//go:build !cgo

package main

import (
	"fmt"
	"os"
)

// main is for builds without cgo, which cannot make the library.
func main() {
	fmt.Fprintln(os.Stderr, "libmpsolve: built without cgo, so that there is no C library; see make libmpsolve")
	os.Exit(1)
}
