package checkpoint

import (
	"fmt"
	"strings"
	"testing"
)

// Vectors may have more elements than 32 bits count, in files that have them all.
func TestLongVectors(t *testing.T) {
	for rows, want := range map[int64]string{3_000_000_000: "is truncated", 1 << 60: "is damaged"} {
		text := fmt.Sprintf("%s%d\n{\"rows\": %d, \"vectors\": 1}\n", Magic, checkpointFormat, rows)
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d rows: %v, want %s", rows, err, want)
		}
	}
}
