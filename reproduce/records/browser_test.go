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

// TestBrowser opens pages of each kind in Chromium at the widths of a desktop screen and of a phone: the console has no error,
// every link resolves, nothing is clipped or makes the page scroll sideways, figures have the full width of their places, and
// their letters can be read. The first page is short.
func TestBrowser(t *testing.T) {
	chromium := browser(t)
	for page, least := range map[string]seen{
		"report.html":         {Links: 100, Figures: mostFigures, Tables: 1},
		"verdicts.html":       {Links: 10, Tables: 5, Details: 50},
		"artifact.html":       {Links: 50, Tables: 2},
		"thesis-fig-3.6.html": {Links: 10, Figures: 2, Tables: 2, Details: 2},
	} {
		t.Run(page, func(t *testing.T) { look(t, chromium, page, least) })
	}
}

// look looks at a page, which has at least so much to look at.
func look(t *testing.T, chromium, page string, least seen) {
	all, there := pages(t, report(t)), reportFiles(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch name := strings.TrimPrefix(r.URL.Path, "/"); {
		case name == "look.html":
			fmt.Fprint(w, lookPage)
		case all[name] != "":
			fmt.Fprint(w, all[name])
		case name == "favicon.ico", there[name]:
			w.WriteHeader(http.StatusNoContent)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	c := testsupport.Command(t, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(), "--enable-logging=stderr",
		"--window-size=1600,1000", "--virtual-time-budget=30000", "--dump-dom", server.URL+"/look.html?width=1400&width=420&page="+page)
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
	var widths []seen
	if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &widths); err != nil {
		t.Fatalf("%v in %.300s", err, found[1])
	}
	if len(widths) != 2 {
		t.Fatalf("%d widths", len(widths))
	}
	for _, s := range widths {
		t.Run(fmt.Sprint(s.Asked), func(t *testing.T) { s.check(t, least) })
	}
	if highest := 9000; page == "report.html" && widths[0].Height > highest {
		t.Errorf("the first page is %d pixels high, want at most %d", widths[0].Height, highest)
	}
}

// seen is what testdata/look.html reports for a width; lengths are in pixels.
type seen struct {
	Asked, Width, ScrollWidth                         int // Width is what a scroll bar leaves
	Height                                            int // before details are opened
	Links, Figures, Tables, Details                   int
	Broken, Clipped, NarrowFigure, SmallFigure, Error []string
}

func (s seen) check(t *testing.T, least seen) {
	const bar = 20
	if s.Width < s.Asked-bar || s.Width > s.Asked || s.Links < least.Links || s.Figures < least.Figures || s.Tables < least.Tables || s.Details < least.Details {
		t.Errorf("looked at too little: %+v", s)
	}
	if s.ScrollWidth > s.Width {
		t.Errorf("the page is %d pixels wide on a screen of %d", s.ScrollWidth, s.Width)
	}
	for what, list := range map[string][]string{"broken link": s.Broken, "clipped": s.Clipped, "narrow figure": s.NarrowFigure, "letters of less than 8.5 pixels": s.SmallFigure, "error": s.Error} {
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
