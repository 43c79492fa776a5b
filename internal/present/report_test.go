package present

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
)

var loads = regexp.MustCompile(`(?i)<(link|script|iframe|img|image|object)\b|\b(src|href|xlink:href)="[^#"]|url\(|@import`)

// TestHTML wants one file that loads no other, in which every tag is closed and
// every experiment, figure and claim is found.
func TestHTML(t *testing.T) {
	r := report(t)
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if at := loads.FindStringIndex(page); at != nil {
		t.Errorf("the page loads something: %q", page[at[0]:min(at[1]+60, len(page))])
	}
	wellFormed(t, page)
	for _, e := range r.Experiments {
		if !strings.Contains(page, ` id="`+e.ID+`"`) || !strings.Contains(page, `href="#`+e.ID+`"`) {
			t.Errorf("%s is not on the page, or not in its contents", e.ID)
		}
	}
	figures := 0
	for _, e := range r.Experiments {
		for _, x := range e.Views {
			if x.Figure != "" {
				figures++
			}
		}
	}
	if got := strings.Count(page, "<svg"); got != figures || figures < 20 {
		t.Errorf("%d figures on the page, want %d", got, figures)
	}
	words := html.UnescapeString(page)
	for _, c := range r.Claims {
		if !strings.Contains(words, c.Statement) || !strings.Contains(page, string(c.Verdict)) {
			t.Errorf("the claim %s or its verdict is not on the page", c.ID)
		}
	}
	if !strings.Contains(page, "no meter") {
		t.Error("the page does not tell why there is no energy")
	}
}

// wellFormed reads HTML as lenient XML.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	tags := xml.NewDecoder(strings.NewReader(page))
	tags.Strict, tags.Entity = false, xml.HTMLEntity
	tags.AutoClose = xml.HTMLAutoClose
	var open []string
	for {
		token, err := tags.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tag := token.(type) {
		case xml.StartElement:
			open = append(open, tag.Name.Local)
		case xml.EndElement:
			if last := len(open) - 1; last < 0 || open[last] != tag.Name.Local {
				t.Fatalf("</%s> ends %v", tag.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v is left open", open)
	}
}

// Names of own experiments and errors with names of files add no markup to report.md.
func TestMarkdownText(t *testing.T) {
	got := markdownText("<script>`a`|*b*\n# c\x1b[31m")
	if want := "\\<script>\\`a\\`|\\*b\\* # c\ufffd\\[31m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r := Report{Experiments: []section{{Lacking: []string{"open a<b>\n## c.mtx: no such file"}}}}
	var b strings.Builder
	if err := r.Markdown(&b); err != nil || !strings.Contains(b.String(), "Not measured: open a\\<b> ## c.mtx: no such file.") {
		t.Errorf("%v, %s", err, b.String())
	}
}
