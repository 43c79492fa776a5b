//go:build cgo

package matrixio

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

func mapFile(f *os.File, n int64, line, object string) []byte {
	said, printed := C.CString(line), C.CString(object)
	memory := C.mapping_map(C.int(f.Fd()), C.size_t(n), said, printed)
	if memory == nil {
		C.free(unsafe.Pointer(said))
		C.free(unsafe.Pointer(printed))
		return nil
	}
	return unsafe.Slice((*byte)(memory), n)
}

func outputUsed() { C.mapping_output_used(1) }
