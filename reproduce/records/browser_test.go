package records

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/mpsolve/mpsolve/internal/testsupport"
)

//go:embed testdata/look.html
var lookPage string

// TestBrowser opens the page in Chromium at the widths of a desktop screen and of a phone: the console has no error,
// every link resolves, nothing is clipped or makes the page scroll sideways, and figures have the full width.
func TestBrowser(t *testing.T) {
	chromium := browser(t)
	var page bytes.Buffer
	if err := report(t).HTML(&page); err != nil {
		t.Fatal(err)
	}
	there := reportFiles(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch name := strings.TrimPrefix(r.URL.Path, "/"); {
		case name == "look.html":
			fmt.Fprint(w, lookPage)
		case name == "report.html":
			w.Write(page.Bytes())
		case name == "favicon.ico", there[name]:
			w.WriteHeader(http.StatusNoContent)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	c := testsupport.Command(t, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(), "--enable-logging=stderr",
		"--window-size=1600,1000", "--virtual-time-budget=30000", "--dump-dom", server.URL+"/look.html?page=report.html&width=1400&width=420")
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	for _, line := range regexp.MustCompile(`(?m)^.*:CONSOLE.*$`).FindAllString(log.String(), -1) {
		t.Errorf("console: %s", line)
	}
	found := regexp.MustCompile(`(?s)<pre id="seen">(.*?)</pre>`).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatalf("the page was not looked at: %.1000s\n%.1000s", out.String(), log.String())
	}
	var all []seen
	if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &all); err != nil {
		t.Fatalf("%v in %.300s", err, found[1])
	}
	if len(all) != 2 {
		t.Fatalf("%d widths", len(all))
	}
	for _, s := range all {
		t.Run(fmt.Sprint(s.Asked), func(t *testing.T) { s.check(t) })
	}
}

// seen is what testdata/look.html reports for a width; lengths are in pixels.
type seen struct {
	Asked, Width, ScrollWidth            int // Width is what a scroll bar leaves
	Links, Figures, Tables, Details      int
	Broken, Clipped, NarrowFigure, Error []string
}

func (s seen) check(t *testing.T) {
	const bar = 20
	if s.Width < s.Asked-bar || s.Width > s.Asked || s.Links < 100 || s.Figures < 20 || s.Tables < 20 || s.Details < 20 {
		t.Errorf("looked at too little: %+v", s)
	}
	if s.ScrollWidth > s.Width {
		t.Errorf("the page is %d pixels wide on a screen of %d", s.ScrollWidth, s.Width)
	}
	for what, list := range map[string][]string{"broken link": s.Broken, "clipped": s.Clipped, "narrow figure": s.NarrowFigure, "error": s.Error} {
		if len(list) > 0 {
			t.Errorf("%d times %s, such as %q", len(list), what, list[:min(5, len(list))])
		}
	}
}

// browser returns the path of Chromium.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("opens a browser")
	}
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("no Chromium here")
	return ""
}
