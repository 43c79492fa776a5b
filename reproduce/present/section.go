package present

import (
	"bytes"
	"fmt"
	"os"
)

// ReplaceSection replaces the text between two markers of a page.
func ReplaceSection(path, begin, end, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(old, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s lacks the markers %s and %s", path, begin, end)
	}
	return os.WriteFile(path, []byte(string(head)+begin+"\n\n"+text+end+string(tail)), 0o644)
}
