package matrixio

import (
	"slices"
	"testing"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// With ranks, rank 0 reads files of other formats, with a message; a fault is the same on all ranks.
func TestConcurrentRanks(t *testing.T) {
	for _, name := range []string{"csr.npz", "matrix.petsc", "a.mpx", "scipy.rua.gz", "two.mat"} {
		want, wantErr := readFile("testdata/"+name, matrixmarket.Options{})
		dist.Run(2, func(c dist.Comm) {
			opt := matrixmarket.DistributedOptions{Options: matrixmarket.Options{Other: Recognise}, Domains: 1}
			v, err := matrixmarket.ReadDistributed(t.Context(), c, "testdata/"+name, opt)
			if wantErr != nil {
				if err == nil || err.Error() != wantErr.Error() {
					t.Errorf("%s, rank %d: %v, want %v", name, c.Rank(), err, wantErr)
				}
				return
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			if v.How != "by rank 0: its format is "+want.Form && v.How != "by rank 0: a compressed file" || v.Form != want.Form || v.Rows != want.Rows {
				t.Errorf("%s, rank %d: %q, %q", name, c.Rank(), v.How, v.Form)
			}
			if c.Rank() == 0 && !slices.Equal(v.Matrix.Val, want.Matrix.Val) {
				t.Errorf("%s: other values", name)
			}
		})
	}
}
