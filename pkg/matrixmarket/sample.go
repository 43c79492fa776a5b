package matrixmarket

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/mpsolve/mpsolve/internal/dist"
)

const (
	// sampled is the most bytes of its share that a rank compares with the file that rank 0 sees, and sampledByAll that of all ranks together.
	sampled      = 1 << 20
	sampledByAll = 1 << 26
	// sampleChunk is the number of bytes at one place of a sample.
	sampleChunk = 1 << 12
)

// compare compares the share of each rank with what is at the same place of the file that rank 0 sees: files of the same name and size may be different copies. A
// share of at most 1 MB is compared as a whole (with 64 ranks or less), a longer one in chunks. Collective.
func compare(c dist.Comm, path string, file io.ReaderAt, size int64) error {
	own, err := sample(file, size, c.Rank(), c.Size())
	all := c.Gather(own)
	for k := 1; c.Rank() == 0 && k < len(all) && err == nil; k++ {
		var here []byte
		if here, err = sample(file, size, k, c.Size()); err == nil && !bytes.Equal(here, all[k]) {
			err = fmt.Errorf("%s: rank %d sees another file of this name and size than rank 0 (all ranks read a plain file: it must be on a file system that they share)", path, k)
		}
	}
	return agree(c, err)
}

// sample returns the checksum of the sample of the share of a rank.
func sample(file io.ReaderAt, size int64, rank, ranks int) ([]byte, error) {
	lo, hi := size*int64(rank)/int64(ranks), size*int64(rank+1)/int64(ranks)
	most := min(sampled, sampledByAll/int64(ranks))
	h := sha256.New()
	if hi-lo <= most {
		_, err := io.Copy(h, io.NewSectionReader(file, lo, hi-lo))
		return h.Sum(nil), err
	}
	count := max(2, most/sampleChunk)
	for k := range count {
		at := lo + (hi-lo-sampleChunk)*k/(count-1)
		if _, err := io.Copy(h, io.NewSectionReader(file, at, sampleChunk)); err != nil {
			return nil, err
		}
	}
	return h.Sum(nil), nil
}
