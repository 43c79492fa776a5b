package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/mpsolve/mpsolve/pkg/dist"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// distributed reads a real sparse matrix by all ranks, and prints its warnings. Matrix of what it returns is that of rank 0 if there
// is one domain, or it is not square, and Dist is nil then. domains is the number that was asked for; 0: none. Collective.
func (in input) distributed(ctx context.Context, j *job, path string, domains int) (*matrixmarket.Distributed, error) {
	opt, done := in.options()
	defer done()
	v, err := matrixmarket.ReadDistributed(ctx, j.comm, path, matrixmarket.DistributedOptions{
		Options: opt, Domains: domains, Stdin: in.in, Sharing: j.neighbours(), Alone: j.onFirst,
	})
	if err != nil {
		return nil, readingError(path, err)
	}
	in.warn(path, v.Content)
	return v, nil
}

// neighbours returns how many ranks are on the node of this one, itself included.
func (j *job) neighbours() int {
	n := 0
	for _, p := range j.ranks {
		if p.Node == j.ranks[j.rank()].Node {
			n++
		}
	}
	return n
}

// readDistributedVectors is readVectors over ranks: each has its own elements of the right-hand sides, if they are in a file, and of the guesses. Rank 0 reads
// and checks them. Collective.
func (f *solveFlags) readDistributedVectors(ctx context.Context, j *job, in input, a *dist.Matrix) (b, x0 [][]float64, err error) {
	var whole, guesses [][]float64
	err = j.onFirst(ctx, func(ctx context.Context) (err error) {
		whole, guesses, err = f.readVectors(ctx, in, int(a.N), int(a.N))
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	counts := []int64{int64(len(whole)), int64(len(guesses))} // none on other ranks
	j.comm.Sum(counts)
	b, x0 = j.scatter(a, whole, int(counts[0])), make([][]float64, counts[1])
	if f.guess != "" {
		x0 = j.scatter(a, guesses, int(counts[1]))
	}
	return b, x0, nil
}

// scatter gives each rank its own elements of vectors that rank 0 has. One that is there twice stays one. Collective.
func (j *job) scatter(a *dist.Matrix, whole [][]float64, count int) [][]float64 {
	own := make([][]float64, count)
	for k := range own {
		same := []int64{0}
		var x []float64
		if j.rank() == 0 {
			if x = whole[k]; k > 0 && &x[0] == &whole[k-1][0] {
				same[0] = 1
			}
		}
		if j.comm.Max(same); same[0] > 0 {
			own[k] = own[k-1]
			continue
		}
		own[k] = dist.Scatter(j.comm, a.Domains, x)
	}
	return own
}

// makeDistributedRHS makes the own elements of the right-hand side that is in no file, and describes it. Collective.
func (f *solveFlags) makeDistributedRHS(a *dist.Matrix) (b []float64, text string, err error) {
	if seedText, ok := strings.CutPrefix(f.rhs, "random:"); ok {
		seed, err := strconv.ParseUint(seedText, 10, 64)
		return generate.DistributedRandomRHS(a, seed), randomRHSText(seed), err
	}
	b, ones := generate.DistributedRHS(a)
	return b, defaultRHSText(ones), nil
}
