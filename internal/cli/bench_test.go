package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// Each line of --json is an object whose ratios agree with its times.
func TestBenchJSON(t *testing.T) {
	var out, errOut bytes.Buffer
	args := "bench spmv --json --generate poisson2d,n=12 --generate wathen,nx=5,ny=5 --formats AFX,AP3 --criterion nw,cw --threads 1,2 --repeat 3 --bandwidth=false"
	if code := Main(strings.Fields(args), nil, &out, &errOut); code != 0 || errOut.Len() > 0 {
		t.Fatalf("exit code %d, %s", code, errOut.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2*2*(2+4) {
		t.Fatalf("%d lines", len(lines))
	}
	var ordinary, tuned float64
	for _, line := range lines {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		number := func(key string) float64 {
			f, ok := v[key].(float64)
			if !ok {
				t.Fatalf("no number %s in %s", key, line)
			}
			return f
		}
		seconds := number("seconds_min")
		switch v["layout"] {
		case "csr-ordinary":
			ordinary = seconds
		case "csr-tuned":
			tuned = seconds
		default:
			if !(number("build_spmvs") > 0) || !(number("speedup_tuned") == tuned/seconds) || !(number("speedup_ordinary") == ordinary/seconds) ||
				!(number("speedup_csr") == min(ordinary, tuned)/seconds) {
				t.Errorf("wrong ratios: %s", line)
			}
		}
		bytes := number("bytes_per_nnz")*number("nnz") + 8*number("rows") + 8*number("cols")
		if g := number("gbps"); math.Abs(g-bytes/seconds/1e9) > 1e-12*g {
			t.Errorf("%g GB/s: %s", g, line)
		}
		if !(number("seconds_median") >= seconds) || !(number("threads") >= 1) || !(number("epsilon") > 0) {
			t.Errorf("wrong numbers: %s", line)
		}
		for _, key := range []string{"read_limit_gbps", "triad_gbps", "llc_bytes"} {
			number(key)
		}
		for _, key := range []string{"matrix", "layout", "formats", "criterion", "processor", "kernels"} {
			if _, ok := v[key].(string); !ok {
				t.Errorf("no text %s: %s", key, line)
			}
		}
		if e, ok := v["backward_error"].(map[string]any); !ok || len(e) != 3 {
			t.Errorf("no errors: %s", line)
		}
	}
}
