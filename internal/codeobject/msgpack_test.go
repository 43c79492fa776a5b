package codeobject

import (
	"reflect"
	"strings"
	"testing"
)

func TestUnpack(t *testing.T) {
	got, err := unpack([]byte("\x83\xa1a\x93\x07\xcd\x01\x00\xc3\xd9\x02bc\x81\xa0\xc2\xa1d\xdc\x00\x01\xa1e"))
	want := map[string]any{"a": []any{7, 256, true}, "bc": map[string]any{"": false}, "d": []any{"e"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "\x81", "\xa4abc", "\xc1", "\xdd\xff\xff"} {
		if v, err := unpack([]byte(bad)); err == nil || !strings.Contains(err.Error(), "MessagePack") {
			t.Errorf("%q: %v, %v", bad, v, err)
		}
	}
}
