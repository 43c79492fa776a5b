package main

import (
	"fmt"
	"strings"
)

const (
	beginAMD = "<!-- AMD counts: go generate ./pkg/gpu -->"
	endAMD   = "<!-- end of AMD counts -->"
)

// An MI250X by its data sheet: what memory delivers to a compute unit in a clock, in which this one
// can begin one instruction of a wave of 64.
const bytesPerClockAMD = 3.2e12 / 220 / 1.7e9

// countAMD is what a product executes for 64 nonzeros, a line of pkg/gpu/testdata/ratchet-amd.txt.
type countAMD struct {
	matrix, storage                                             string
	vector, fp64, scalar, shared, loads, requests, lines, bytes float64
}

func readCountsAMD(text string) (list []countAMD, err error) {
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var c countAMD
		words := strings.SplitN(line, ": ", 3)
		if len(words) == 3 {
			c.matrix, c.storage = words[0], words[1]
			_, err = fmt.Sscanf(words[2], "vector %f, FP64 %f, scalar %f, LDS %f, scalar loads %f, requests %f, lines %f, bytes %f",
				&c.vector, &c.fp64, &c.scalar, &c.shared, &c.loads, &c.requests, &c.lines, &c.bytes)
		}
		if len(words) != 3 || err != nil {
			return nil, fmt.Errorf("line %d is not a count: %s", n+1, line)
		}
		list = append(list, c)
	}
	return list, nil
}

// renderCountsAMD writes the table, as renderCounts does.
func renderCountsAMD(list []countAMD) string {
	var b strings.Builder
	b.WriteString("| matrix | storage | bytes | vector instructions | there is time for | FP64 | scalar | LDS | requests | lines |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range list {
		budget, over := c.bytes/bytesPerClockAMD, ""
		if c.vector > budget {
			over = "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %.0f | %s%.1f%s | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
			c.matrix, c.storage, c.bytes, over, c.vector, over, budget, c.fp64, c.scalar, c.shared, c.requests, c.lines)
	}
	b.WriteString("\n")
	return b.String()
}
