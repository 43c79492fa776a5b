//go:build cgo

package cli

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
#include "supervise.h"
*/
import "C"

import "os"

// In the child, descriptor 2 leads to the parent, for the runtime; what the program prints
// goes where it always goes.
func init() {
	if fd := int(C.supervise_stderr()); fd >= 0 {
		runtimes, os.Stderr = os.Stderr, os.NewFile(uintptr(fd), "/dev/stderr")
	}
}
