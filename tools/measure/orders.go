package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/internal/direct/order"
	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/parallel"
)

// ordersMain compares orders for complete factors: entries of a factor; seconds of a processor on one thread, and elapsed seconds on two.
func ordersMain() {
	metis := flag.String("metis", "", "`program` that prints the seconds and the order of METIS for a file, see bench/peers/orders.sh")
	flag.Parse()
	fmt.Println("| pattern | rows | entries: AMD | dissection | METIS | dissection / METIS | work | seconds: AMD | dissection | METIS | elapsed on two threads |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, file := range flag.Args() {
		if err := compareOrders(file, *metis); err != nil {
			fmt.Fprintf(os.Stderr, "orders: %s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

// compareOrders prints the row of a file. Times are the least of five.
func compareOrders(file, metis string) error {
	ctx := context.Background()
	m, err := matrixio.ReadFile(ctx, file)
	if err != nil {
		return err
	}
	g := order.NewGraph(m, m.Transpose(nil))
	one, two := parallel.New(1), parallel.New(2)
	defer one.Close()
	defer two.Close()
	var e [3]order.Elimination // AMD, nested dissection, METIS
	best := [4]float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	for range 5 {
		start := processorTime()
		if e[0], err = order.AMD(ctx, g); err != nil {
			return err
		}
		best[0] = min(best[0], (processorTime() - start).Seconds())
		for k, pool := range []*parallel.Pool{one, two} {
			start, clock := processorTime(), time.Now()
			p, err := order.Dissect(ctx, order.Compress(g), pool)
			if err != nil {
				return err
			}
			if k == 0 {
				best[1] = min(best[1], (processorTime() - start).Seconds())
			} else {
				best[3] = min(best[3], time.Since(clock).Seconds())
			}
			e[1] = order.Count(g, p)
		}
		p, seconds, err := orderOfMETIS(metis, file)
		if err != nil {
			return err
		}
		best[2] = min(best[2], seconds)
		e[2] = order.Count(g, p)
	}
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	fmt.Printf("| %s | %d | %.2e | %.2e | %.2e | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, m.Rows, float64(e[0].Entries), float64(e[1].Entries), float64(e[2].Entries),
		float64(e[1].Entries)/float64(e[2].Entries), e[1].Multiplications/e[2].Multiplications, best[0], best[1], best[2], best[3])
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
