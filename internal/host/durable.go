package host

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// SyncFolder makes the name of a written file survive a failure of the system, as its content does already.
func SyncFolder(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return withoutPath(err)
	}
	defer dir.Close()
	_ = dir.Sync() // not all file systems can
	return nil
}

// staleAge is longer than writing a file takes.
const staleAge = time.Hour

// RemoveStale removes from a folder the temporary files of killed processes, on file systems without unnamed files:
// those that were last written to at least an hour ago.
func RemoveStale(dir string) {
	list, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"+tempSuffix))
	if err != nil {
		return
	}
	for _, path := range list {
		middle := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), tempPrefix), tempSuffix)
		info, err := os.Lstat(path)
		if err == nil && len(middle) == 16 && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAge {
			_ = os.Remove(path) // another process may have been faster
		}
	}
}
