//go:build !cgo

package main

import (
	"fmt"
	"os"
)

// main is that of a build without cgo, which makes no library.
func main() {
	fmt.Fprintln(os.Stderr, "libmpsolve: built without cgo, so that there is no C library; see make libmpsolve")
	os.Exit(1)
}
