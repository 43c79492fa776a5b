package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/mpsolve/mpsolve/reproduce/records"
)

const (
	beginCounts = "<!-- counts: go generate ./pkg/gpu -->"
	endCounts   = "<!-- end of counts -->"
)

// An H100 SXM by its data sheet: the bytes that memory delivers to a multiprocessor in a clock, and the warp
// instructions that it can issue.
const (
	bytesPerClock        = 3.35e12 / 132 / 1.755e9
	instructionsPerClock = 4
)

// count is what a product executes for 32 nonzeros, a line of pkg/gpu/testdata/ratchet.txt.
type count struct {
	matrix, storage                              string
	instructions, fp64, requests, sectors, bytes float64
	few                                          *units
}

// units is what a product with slots executes on devices with few units for doubles.
type units struct{ instructions, fp64 float64 }

// gputableCounts puts the table of a file into a page, with the table of AMD's counts beside it.
func gputableCounts(file, path string) error {
	if err := putCounts(file, path, beginCounts, endCounts, readCounts, renderCounts); err != nil {
		return err
	}
	amd := strings.TrimSuffix(file, ".txt") + "-amd.txt"
	return putCounts(amd, path, beginAMD, endAMD, readCountsAMD, renderCountsAMD)
}

// putCounts puts the rendered contents of a file into a page.
func putCounts[T any](file, path, begin, end string, read func(text string) ([]T, error), render func([]T) string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	list, err := read(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return records.ReplaceSection(path, begin, end, render(list))
}

func readCounts(text string) (list []count, err error) {
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var c count
		words := strings.SplitN(line, ": ", 3)
		if len(words) == 3 {
			c.matrix, c.storage = words[0], words[1]
			common, few, has := strings.Cut(words[2], ", few units: ")
			if has {
				c.few = new(units)
				_, err = fmt.Sscanf(few, "instructions %f, FP64 %f", &c.few.instructions, &c.few.fp64)
			}
			if err == nil {
				_, err = fmt.Sscanf(common, "instructions %f, FP64 %f, requests %f, sectors %f, bytes %f", &c.instructions, &c.fp64, &c.requests, &c.sectors, &c.bytes)
			}
		}
		if len(words) != 3 || err != nil {
			return nil, fmt.Errorf("line %d is not a count: %s", n+1, line)
		}
		list = append(list, c)
	}
	return list, nil
}

// renderCounts writes the table, with the number of instructions that can be issued while memory delivers the bytes,
// for each count.
func renderCounts(list []count) string {
	var b strings.Builder
	b.WriteString("| matrix | storage | bytes | instructions | there is time for | FP64 | requests | sectors | few units: instructions | FP64 |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range list {
		budget := c.bytes / bytesPerClock * instructionsPerClock
		over := ""
		if c.instructions > budget {
			over = "**"
		}
		few := " | "
		if c.few != nil {
			few = fmt.Sprintf("%.1f | %.1f", c.few.instructions, c.few.fp64)
		}
		fmt.Fprintf(&b, "| %s | %s | %.0f | %s%.1f%s | %.0f | %.1f | %.1f | %.1f | %s |\n",
			c.matrix, c.storage, c.bytes, over, c.instructions, over, budget, c.fp64, c.requests, c.sectors, few)
	}
	b.WriteString("\n")
	return b.String()
}

const (
	beginAMD = "<!-- AMD counts: go generate ./pkg/gpu -->"
	endAMD   = "<!-- end of AMD counts -->"
)

// An MI250X by its data sheet: the bytes that memory delivers to a compute unit in a clock, in which the unit can
// issue one instruction of a wave of 64.
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
