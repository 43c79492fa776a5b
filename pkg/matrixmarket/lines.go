package matrixmarket

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
)

// LinesOf returns for some rows of a matrix, numbered from 1, the first line of the file that has an element of the row, numbered from 1. It
// reads coordinate files alone, up to the last of these lines, and returns nil for others, and if a row has no element.
func LinesOf(ctx context.Context, path string, rows []int) []int64 {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	in, err := openFile(path, f, info.Size(), &progress{total: -1})
	if err != nil || in.look() != nil {
		return nil
	}
	at := map[int]int{} // the places of rows
	for k, i := range rows {
		at[i] = k
	}
	found := make([]int64, len(rows))
	text := bufio.NewScanner(in.stream)
	banner, sized, mirrored := false, false, false
	for line := int64(1); text.Scan() && len(at) > 0; line++ {
		if line&0xffff == 0 && ctx.Err() != nil {
			return nil
		}
		words := strings.Fields(text.Text())
		switch {
		case !banner:
			if len(words) < 4 || !strings.EqualFold(words[2], "coordinate") {
				return nil
			}
			banner, mirrored = true, !strings.EqualFold(words[len(words)-1], "general")
		case len(words) == 0 || strings.HasPrefix(words[0], "%"):
		case !sized:
			sized = true
		default:
			for _, word := range words[:min(len(words), 2)] {
				i, _ := strconv.Atoi(word)
				if k, sought := at[i]; sought {
					found[k] = line
					delete(at, i)
				}
				if !mirrored {
					break
				}
			}
		}
	}
	if len(at) > 0 {
		return nil
	}
	return found
}
