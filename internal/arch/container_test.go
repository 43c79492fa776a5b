package arch

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is an instruction of a Containerfile, with continued lines joined.
type instruction struct{ name, rest string }

// instructions reads a Containerfile as far as ours needs it: comments, continued lines, a word and the rest.
func instructions(file string) (list []instruction) {
	file = regexp.MustCompile(`(?m)^\s*#.*\n`).ReplaceAllString(file, "")
	for line := range strings.Lines(strings.ReplaceAll(file, "\\\n", "")) {
		if name, rest, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" {
			list = append(list, instruction{name, strings.TrimSpace(rest)})
		}
	}
	return list
}

// TestContainerInstructions checks that the instructions of the image fit together, as far as possible without an
// engine: names and syntax of commands are right, copied files come from an existing stage that has put them there,
// and the program that is started is one of them.
func TestContainerInstructions(t *testing.T) {
	known := []string{"FROM", "WORKDIR", "COPY", "RUN", "ARG", "ENTRYPOINT"}
	var stages, built, copied, entry []string
	for _, i := range instructions(read(t, "packaging/Containerfile")) {
		words := strings.Fields(i.rest)
		switch {
		case !slices.Contains(known, i.name) || len(words) == 0:
			t.Errorf("%s %s: no instruction of ours", i.name, i.rest)
		case i.name == "FROM":
			if copied = nil; len(words) == 3 && words[1] == "AS" {
				stages = append(stages, words[2])
			} else if len(words) != 1 {
				t.Errorf("FROM %s", i.rest)
			}
		case i.name == "RUN":
			if out, err := exec.Command("sh", "-n", "-c", i.rest).CombinedOutput(); err != nil {
				t.Errorf("RUN %s: %s", i.rest, out)
			}
			if k := slices.Index(words, "-o"); k >= 0 && k+1 < len(words) {
				built = append(built, words[k+1])
			}
		case i.name == "COPY":
			if from, yes := strings.CutPrefix(words[0], "--from="); yes && (!slices.Contains(stages, from) || !slices.Contains(built, words[1])) {
				t.Errorf("COPY %s: of stages %q that build %q", i.rest, stages, built)
			}
			copied = append(copied, words[len(words)-1])
		case i.name == "ENTRYPOINT":
			if err := json.Unmarshal([]byte(i.rest), &entry); err != nil {
				t.Errorf("ENTRYPOINT %s: %v", i.rest, err)
			}
		}
	}
	if len(entry) != 1 || !slices.Contains(copied, entry[0]) {
		t.Errorf("the image starts %q, and has %q", entry, copied)
	}
}
