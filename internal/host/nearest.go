// NearestWord suggests the known word nearest to a mistyped one.
package host

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxCompared is the number of bytes of a word that are compared: the word may come from a file.
const maxCompared = 64

// NearestWord returns the word of the list with the smallest edit distance from s, ignoring case: the first of
// several, "" if the list is empty.
func NearestWord(s string, words []string) string {
	s = strings.ToLower(s[:min(len(s), maxCompared)])
	best, least := "", 0
	for _, w := range words {
		if d := levenshtein.ComputeDistance(s, strings.ToLower(w)); best == "" || d < least {
			best, least = w, d
		}
	}
	return best
}

// Near reports whether s is the word, but for at most two letters.
func Near(s, word string) bool {
	return len(s) <= maxCompared && levenshtein.ComputeDistance(s, word) <= 2
}
