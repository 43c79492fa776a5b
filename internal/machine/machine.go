// Package machine tells what this program runs on: the processor's name and its
// caches, which Linux says in files and which are not known elsewhere, memory, and the
// build of the program itself.
package machine

import (
	"bufio"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// CacheSizes are bytes of one cache each; 0 where there is none or its size is
// not known.
type CacheSizes struct{ L1d, L2, L3 int64 }

// LastLevel is the size of the cache next to memory, 0 if it is not known.
func (c CacheSizes) LastLevel() int64 {
	for _, size := range []int64{c.L3, c.L2, c.L1d} {
		if size > 0 {
			return size
		}
	}
	return 0
}

// Caches returns the sizes of the data caches that the first processor uses.
func Caches() CacheSizes { return caches(os.DirFS("/")) }

func caches(root fs.FS) (c CacheSizes) {
	folders, _ := fs.Glob(root, "sys/devices/system/cpu/cpu0/cache/index*") // the pattern is right
	for _, dir := range folders {
		if word(root, dir+"/type") == "Instruction" {
			continue
		}
		size := parseSize(word(root, dir+"/size"))
		switch word(root, dir+"/level") {
		case "1":
			c.L1d = size
		case "2":
			c.L2 = size
		case "3":
			c.L3 = size
		}
	}
	return c
}

// word is the content of a file, "" if it cannot be read.
func word(root fs.FS, path string) string {
	text, err := fs.ReadFile(root, path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// parseSize reads sizes such as 48K, 0 if text is none.
func parseSize(text string) int64 {
	unit := int64(1)
	for suffix, u := range map[string]int64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = number, u
		}
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return n * unit
}

// Processor returns the processor's name, "" if it is not known.
func Processor() string { return processor(os.DirFS("/")) }

func processor(root fs.FS) string {
	f, err := root.Open("proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
