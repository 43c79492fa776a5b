package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mpsolve/mpsolve/internal/fetch"
	"github.com/spf13/cobra"
)

const fetchName = "fetch"

// Environment variables of `mpsolve fetch`, and of the commands that use what it has fetched.
const (
	mirrorVariable = "MPSOLVE_MIRROR"   // address in place of the collection
	folderVariable = "MPSOLVE_MATRICES" // folder in place of the user's cache
)

const fetchLong = `Download matrices of the SuiteSparse collection.

GROUP/NAME is the name of a matrix as https://sparse.tamu.edu has it. fetch unpacks its archive into the cache folder of the
user, or into the folder that the environment variable MPSOLVE_MATRICES names, and prints the path of the matrix. Right-hand sides
and other files of the archive are beside it. All commands then take GROUP/NAME in place of a file.

A matrix that is there already is not downloaded again. An interrupted download goes on where it ended. The archive's own
checksum is verified; the file SHA256 beside the matrix has the SHA-256 of the archive, which --sha256 compares.

The environment variable MPSOLVE_MIRROR names another server with the same paths (MM/GROUP/NAME.tar.gz), and HTTPS_PROXY a proxy.

Exit codes: 0 all are there; 1 no connection, or no space; 4 the collection has no such matrix, or its archive is damaged.`

type fetchFlags struct {
	sha256 string
	again  bool
}

func newFetch(s streams) *cobra.Command {
	var f fetchFlags
	c := &cobra.Command{
		Use: fetchName + " GROUP/NAME...", Short: "Download matrices of the SuiteSparse collection", Long: fetchLong,
		Example: "  mpsolve fetch HB/bcsstk16 && mpsolve solve HB/bcsstk16\n" +
			"  mpsolve solve $(mpsolve fetch Janna/Emilia_923)",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("want GROUP/NAME, such as HB/bcsstk16; got 0 arguments")
			}
			for _, name := range args {
				if !fetch.IsName(name) {
					return usage("%s: want GROUP/NAME, such as HB/bcsstk16", name)
				}
			}
			if f.sha256 != "" && len(args) > 1 {
				return usage("--sha256 is for one matrix, not for %d", len(args))
			}
			if sum, err := hex.DecodeString(f.sha256); f.sha256 != "" && (err != nil || len(sum) != sha256.Size) {
				return usage("--sha256 %s: want %d hexadecimal digits", f.sha256, 2*sha256.Size)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range args {
				if err := f.run(c.Context(), s, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&f.sha256, "sha256", "", "refuse an archive whose SHA-256 has other `digits`")
	c.Flags().BoolVar(&f.again, "again", false, "download what is there already")
	return c
}

// run makes sure that a matrix is in the folder, and prints its path.
func (f *fetchFlags) run(ctx context.Context, s streams, name string) error {
	store, err := fetched()
	if err != nil {
		return err
	}
	file, has := store.Path(name)
	switch {
	case has && !f.again && f.sha256 != "" && !strings.EqualFold(f.sha256, store.Sum(name)):
		return &exitError{exitInput, fmt.Errorf("%s: the SHA-256 of its archive is %s, not %s", file, cmp.Or(store.Sum(name), "unknown"), f.sha256)}
	case !has || f.again:
		status := newStatusLine(s.err)
		store.Progress = status.follow("downloading " + name)
		file, err = store.Get(ctx, name, f.sha256)
		status.done()
		var refused *fetch.StatusError
		if damaged := (*fetch.ArchiveError)(nil); errors.As(err, &damaged) || errors.As(err, &refused) && refused.Code < 500 {
			err = &exitError{exitInput, err}
		}
		if err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(s.out, file)
	return err
}

// fetched returns the store of the matrices that have been downloaded.
func fetched() (s fetch.Store, err error) {
	s.Mirror, s.Folder = os.Getenv(mirrorVariable), os.Getenv(folderVariable)
	if s.Folder == "" {
		cache, err := cacheFolder()
		if err != nil {
			return s, err
		}
		s.Folder = filepath.Join(cache, "matrices")
	}
	return s, nil
}

// findFetched replaces the names of matrices among the arguments of a command by the files that have been downloaded. A file of that
// name in the working directory has precedence.
func findFetched(args []string) {
	for k, name := range args {
		if !fetch.IsName(name) {
			continue
		}
		if _, err := os.Stat(name); err == nil {
			continue
		}
		if s, err := fetched(); err == nil {
			if file, has := s.Path(name); has {
				args[k] = file
			}
		}
	}
}
