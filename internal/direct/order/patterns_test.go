//go:build unix

package order

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

var (
	patterns = flag.String("patterns", "", "`files` of matrices for TestPatterns, such as '/tmp/*.petsc'")
	metis    = flag.String("metis", "", "`program` that prints the seconds and the order of METIS for a file, see bench/peers/orders.sh; none: without METIS")
)

// TestPatterns prints a table of orders for matrices in files: entries of a factor; multiplications of L U for each vertex and neighbour of the
// compressed graph, which decide whether nested dissection is tried; seconds of a processor on one thread, and elapsed seconds on two.
func TestPatterns(t *testing.T) {
	files, err := filepath.Glob(*patterns)
	if err != nil || len(files) == 0 {
		t.Skip("no patterns")
	}
	fmt.Println("| pattern | rows | entries: AMD | dissection | METIS | dissection / METIS | work: AMD | dissection / AMD | dissection / METIS | seconds: AMD | dissection | METIS | elapsed on two threads |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, file := range files {
		if err := compareOrders(file, *metis); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// compareOrders prints the row of a file. Times are the least of three.
func compareOrders(file, metis string) error {
	ctx := context.Background()
	m, err := matrixio.ReadFile(ctx, file)
	if err != nil {
		return err
	}
	if m.Rows != m.Cols {
		return errors.New("not square")
	}
	g := NewGraph(m, m.Transpose(nil))
	small := Compress(g)
	one, two := parallel.New(1), parallel.New(2)
	defer one.Close()
	defer two.Close()
	var e [3]Elimination // AMD, nested dissection, METIS
	best := [4]float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	for range 3 {
		start := processorTime()
		if e[0], err = AMD(ctx, g, Limit{}); err != nil {
			return err
		}
		best[0] = min(best[0], (processorTime() - start).Seconds())
		for k, pool := range []*parallel.Pool{one, two} {
			start, clock := processorTime(), time.Now()
			p, err := Dissect(ctx, Compress(g), pool)
			if err != nil {
				return err
			}
			if k == 0 {
				best[1] = min(best[1], (processorTime() - start).Seconds())
			} else {
				best[3] = min(best[3], time.Since(clock).Seconds())
			}
			e[1] = Count(g, p)
		}
		if metis == "" {
			continue
		}
		p, seconds, err := orderOfMETIS(metis, file)
		if err != nil {
			return err
		}
		best[2] = min(best[2], seconds)
		e[2] = Count(g, p)
	}
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	fmt.Printf("| %s | %d | %.2e | %.2e | %.2e | %.2f | %.0f | %.2f | %.2f | %.3f | %.3f | %.3f | %.3f |\n", name, m.Rows, float64(e[0].Entries), float64(e[1].Entries), float64(e[2].Entries),
		float64(e[1].Entries)/float64(e[2].Entries), e[0].Multiplications/float64(small.Size()), e[1].Multiplications/e[0].Multiplications, e[1].Multiplications/e[2].Multiplications, best[0], best[1], best[2], best[3])
	return nil
}

// orderOfMETIS returns the order that the program prints for a file, and the seconds it took.
func orderOfMETIS(program, file string) (p csr.Permutation, seconds float64, err error) {
	out, err := exec.Command(program, file).Output()
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", program, err)
	}
	first, rest, _ := strings.Cut(string(out), "\n")
	if seconds, err = strconv.ParseFloat(first, 64); err != nil {
		return nil, 0, err
	}
	for line := range strings.Lines(rest) {
		v, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return nil, 0, err
		}
		p = append(p, int32(v))
	}
	return p, seconds, p.Validate()
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
