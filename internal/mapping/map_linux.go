//go:build cgo

package mapping

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
#include <stdlib.h>
#include "mapping.h"
*/
import "C"

import (
	"os"
	"unsafe"
)

func mapFile(f *os.File, n int64) []byte {
	name := C.CString(f.Name())
	defer C.free(unsafe.Pointer(name))
	memory := C.mapping_map(C.int(f.Fd()), C.size_t(n), name)
	if memory == nil {
		return nil
	}
	return unsafe.Slice((*byte)(memory), n)
}
