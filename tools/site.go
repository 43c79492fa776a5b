package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Parse(pageHTML))

// siteMain converts the pages of docs and the README to plain HTML. Links between pages lead to the HTML, links to
// other files of the repository to their addresses on the web; a broken link is an error.
//
//	go run ./tools site -output bin/site
func siteMain() {
	root := flag.String("root", ".", "folder of the repository")
	output := flag.String("output", "bin/site", "folder for the pages")
	flag.Parse()
	if err := makeSite(*root, *output); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// repository is the address of files that are not pages.
const repository = "https://github.com/mpsolve/mpsolve/blob/main/"

// document is a page.
type document struct {
	Source string // its Markdown, from the root
	Name   string // of the HTML
	Title  string
	Body   template.HTML
	All    []*document

	tree    ast.Node
	source  []byte
	anchors map[string]bool
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// makeSite writes the pages and the figures they show.
func makeSite(root, output string) error {
	pages, err := readPages(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(output, 0o755); err != nil {
		return err
	}
	var faults []error
	for _, p := range pages {
		faults = append(faults, p.link(root, output, pages)...)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for _, p := range pages {
		var body, out bytes.Buffer
		if err := markdown.Renderer().Render(&body, p.source, p.tree); err != nil {
			return err
		}
		wrapped := strings.NewReplacer("<table>", `<div class="scroll"><table>`, "</table>", "</table></div>").Replace(body.String())
		p.Body, p.All = template.HTML(wrapped), pages
		if err := page.Execute(&out, p); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(output, p.Name), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readPages reads the README, which becomes index.html, the quick answers, and the other pages by name.
func readPages(root string) (pages []*document, err error) {
	sources, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(sources, func(a, b string) int { return rank(a) - rank(b) })
	for _, path := range append([]string{filepath.Join(root, "README.md")}, sources...) {
		p := &document{anchors: map[string]bool{}}
		if p.source, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		if p.Source, err = filepath.Rel(root, path); err != nil {
			return nil, err
		}
		p.Source = filepath.ToSlash(p.Source)
		p.Name = strings.TrimSuffix(filepath.Base(path), ".md") + ".html"
		if p.Source == "README.md" {
			p.Name = "index.html"
		}
		p.tree = markdown.Parser().Parse(text.NewReader(p.source))
		p.readHeadings()
		pages = append(pages, p)
	}
	return pages, nil
}

// rank sorts the quick answers and the manual first.
func rank(path string) int {
	i := slices.Index([]string{"answers.md", "usage.md"}, filepath.Base(path))
	if i < 0 {
		return 2
	}
	return i
}

func (p *document) readHeadings() {
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			if id, ok := h.AttributeString("id"); ok {
				p.anchors[string(id.([]byte))] = true
			}
			if p.Title == "" {
				p.Title = string(h.Lines().Value(p.source))
			}
		}
		return ast.WalkContinue, nil
	})
}

var web = regexp.MustCompile(`^[a-z]+:`)

// link replaces links and figures by their targets on the site, and returns those that are broken.
func (p *document) link(root, output string, pages []*document) (faults []error) {
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			n.Destination, err = p.destination(root, string(n.Destination), pages)
		case *ast.Image:
			n.Destination, err = p.figure(root, output, string(n.Destination))
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", p.Source, err))
		}
		return ast.WalkContinue, nil
	})
	return faults
}

// destination returns the target of a link on the site.
func (p *document) destination(root, to string, pages []*document) ([]byte, error) {
	if web.MatchString(to) {
		return []byte(to), nil
	}
	file, anchor, _ := strings.Cut(to, "#")
	target := path.Join(path.Dir(p.Source), file)
	if file == "" {
		target = p.Source
	}
	for _, other := range pages {
		if other.Source != target {
			continue
		}
		if anchor != "" && !other.anchors[anchor] {
			return nil, fmt.Errorf("%s has no section %s", target, anchor)
		}
		if anchor != "" {
			anchor = "#" + anchor
		}
		return []byte(other.Name + anchor), nil
	}
	if _, err := os.Stat(filepath.Join(root, target)); err != nil {
		return nil, err
	}
	return []byte(repository + target), nil
}

// figure copies a figure and returns its path on the site.
func (p *document) figure(root, output, from string) ([]byte, error) {
	if web.MatchString(from) {
		return []byte(from), nil
	}
	image, err := os.ReadFile(filepath.Join(root, path.Dir(p.Source), from))
	if err != nil {
		return nil, err
	}
	to := filepath.Join(output, from)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return nil, err
	}
	return []byte(from), os.WriteFile(to, image, 0o644)
}
