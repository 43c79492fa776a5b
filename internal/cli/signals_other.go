//go:build !unix

package cli

import "os"

var cpuLimit []os.Signal
