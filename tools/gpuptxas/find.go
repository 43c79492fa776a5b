package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// fetch is what gets ptxas from Debian; it prints a folder.
var fetch = []string{".ci/debian", "trixie", "non-free", "*/bin/ptxas", "nvidia-cuda-toolkit"}

// find returns the path of ptxas: of $PTXAS, in $PATH, where CUDA installs it, or from
// Debian's package, which is fetched into the user's cache once.
func find() (string, error) {
	if given := os.Getenv("PTXAS"); given != "" {
		path, err := exec.LookPath(given)
		if err != nil {
			return "", fmt.Errorf("PTXAS: %w", err)
		}
		return path, nil
	}
	if path, err := exec.LookPath("ptxas"); err == nil {
		return path, nil
	}
	if paths, _ := filepath.Glob("/usr/local/cuda*/bin/ptxas"); len(paths) > 0 {
		return paths[len(paths)-1], nil
	}
	out, err := exec.Command(fetch[0], fetch[1:]...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("no ptxas here, and %s", strings.TrimSpace(string(failed.Stderr)))
	} else if err != nil {
		return "", fmt.Errorf("no ptxas here: %w", err)
	}
	return exec.LookPath(filepath.Join(strings.TrimSpace(string(out)), "usr", "bin", "ptxas"))
}

var release = regexp.MustCompile(`release (\d+\.\d+),`)

// versionOf returns ptxas's release, such as 12.4.
func versionOf(ptxas string) (string, error) {
	out, err := exec.Command(ptxas, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", ptxas, err)
	}
	m := release.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("%s does not say its release: %s", ptxas, out)
	}
	return string(m[1]), nil
}
