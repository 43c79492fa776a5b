package cli

import "testing"

func TestReleased(t *testing.T) {
	for version, want := range map[string]bool{
		"v1.2.3": true, "v1.2.3-rc.1": true, "": false, "(devel)": false,
		"v0.0.0-20261123093145-3cae459c8c1d": false, "v1.2.4-0.20261123093145-3cae459c8c1d": false, "v1.2.3+dirty": false,
	} {
		if released(version) != want {
			t.Errorf("%q: %v, want %v", version, !want, want)
		}
	}
}
