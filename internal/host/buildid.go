package host

import (
	"debug/elf"
	"encoding/hex"
	"os"
)

// BuildID returns what Go's linker wrote into this program to tell builds apart, which other sources, tags or versions of Go change; "" if the program is no ELF
// file of Go.
func BuildID() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	note := f.Section(".note.go.buildid")
	if note == nil {
		return ""
	}
	id, _ := note.Data()
	return hex.EncodeToString(id)
}
