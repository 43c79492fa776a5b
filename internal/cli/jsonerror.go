package cli

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// jsonError is the object on standard output after an error of a command with --json (docs/error.schema.json).
type jsonError struct {
	Version  string `json:"version"` // of mpsolve
	Error    string `json:"error"`
	ExitCode int    `json:"exit_code"`
}

// wantsJSON reports whether the arguments ask for JSON, even if other arguments are wrong.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch {
		case a == "--":
			return false
		case a == "--json", strings.EqualFold(a, "--json=true"):
			return true
		}
	}
	return false
}

// writeJSONError writes an error as an object. It ignores errors of writing, since the text is also on standard error.
func writeJSONError(w io.Writer, err error) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(jsonError{Version, oneLine(err), exitCode(err)})
}

// jsonErrorOf returns the object for an error with a text and the exit code exitFailure.
func jsonErrorOf(text string) string {
	var b strings.Builder
	writeJSONError(&b, errors.New(text))
	return b.String()
}
