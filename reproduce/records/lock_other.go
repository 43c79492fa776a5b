//go:build !unix

package records

import "os"

func lock(*os.File) error { return nil }
