package draw

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/roofline"
)

func points(configs []roofline.Config) (list []roofline.Point) {
	for k, c := range configs {
		for _, threads := range []int{1, 2} {
			for _, i := range roofline.Intensities() {
				list = append(list, roofline.Point{Config: c.Name, Threads: threads, Intensity: i, GFLOPS: float64(min(10*i/c.Bytes, 70+k))})
			}
		}
	}
	return list
}

func TestWrite(t *testing.T) {
	for format, magic := range map[string]string{"svg": "<?xml", "png": "\x89PNG"} {
		var figure bytes.Buffer
		if err := Write(&figure, format, points(roofline.Configs())); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(figure.String(), magic) {
			t.Errorf("%s begins with %q", format, figure.String()[:8])
		}
		if format == "svg" && (!strings.Contains(figure.String(), "threads: 2") || !strings.Contains(figure.String(), "AFX24")) {
			t.Error("title or legend is missing")
		}
	}
	if err := Write(new(bytes.Buffer), "bmp", points(roofline.Configs()[:1])); err == nil {
		t.Error("an unknown format is no error")
	}
}

func TestLines(t *testing.T) {
	all := roofline.Configs()
	if n := len(lines(points(all))); n != len(preferred) {
		t.Errorf("%d lines of all", n)
	}
	if n := len(lines(points(all[5:8]))); n != 3 {
		t.Errorf("%d lines of 3", n)
	}
	if n := len(lines(points(append(all[4:7], all[10:15]...)))); n != 8 {
		t.Errorf("%d lines of 8", n)
	}
}
