package cli

import (
	"encoding/json"
	"testing"
)

// jsonErrorOf returns an object in the form of other errors.
func TestJSONErrorOfText(t *testing.T) {
	var e jsonError
	text := `a "b".mpx: the file has been cut off`
	if err := json.Unmarshal([]byte(jsonErrorOf(text)), &e); err != nil || e != (jsonError{Version, text, exitFailure}) {
		t.Errorf("%+v, %v", e, err)
	}
}
