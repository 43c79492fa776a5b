package report

import (
	"io"

	"github.com/dustin/go-humanize"

	"github.com/mpsolve/mpsolve/internal/matrixio"
	"github.com/mpsolve/mpsolve/pkg/csr"
)

// Papers writes a table of the papers' matrices, with sizes and addresses.
func Papers(w io.Writer, list []matrixio.Paper) {
	t := newTable(w, "matrix", "n", "nonzeros", "in memory", "download", "address")
	for _, p := range list {
		download, where := "–", p.Address()
		if where == "" {
			where = p.Missing
		}
		if bytes, known := p.DownloadBytes(); bytes > 0 {
			download = humanize.Bytes(uint64(bytes))
			if !known {
				download = "about " + download
			}
		}
		t.AppendRow([]any{p.Name, p.N, p.NNZ, humanize.Bytes(uint64(csr.Bytes(p.N, p.NNZ))), download, where})
	}
	t.Render()
}
