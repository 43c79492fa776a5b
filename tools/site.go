package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
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
	Source   string // its Markdown, from the root
	Name     string // of the HTML
	Title    string
	Body     template.HTML
	Chapters []chapter

	tree    ast.Node
	source  []byte
	anchors map[string]bool
}

// chapter is a heading of docs/pages.md and the pages that are listed below it.
type chapter struct {
	Title string
	Pages []*document
}

// section is what the search finds: the text below a heading.
type section struct {
	Page    string `json:"page"`
	Heading string `json:"heading"`
	Address string `json:"address"`
	Text    string `json:"text"`
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
	chapters, err := index(pages)
	faults = append(faults, err)
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for _, p := range pages {
		var body, out bytes.Buffer
		if err := markdown.Renderer().Render(&body, p.source, p.tree); err != nil {
			return err
		}
		wrapped := strings.NewReplacer("<table>", `<div class="scroll"><table>`, "</table>", "</table></div>").Replace(body.String())
		p.Body, p.Chapters = template.HTML(wrapped), chapters
		if err := page.Execute(&out, p); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(output, p.Name), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return writeSearch(filepath.Join(output, "search.js"), pages)
}

// readPages reads the README, which becomes index.html, and the pages of docs.
func readPages(root string) (pages []*document, err error) {
	sources, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
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

// index returns the chapters of docs/pages.md. Each page must be in one of them, once.
func index(pages []*document) (chapters []chapter, err error) {
	listed := map[string]int{"README.md": 1, indexPage: 1}
	at := slices.IndexFunc(pages, func(p *document) bool { return p.Source == indexPage })
	if at < 0 {
		return nil, nil
	}
	_ = ast.Walk(pages[at].tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering && h.Level > 1 {
			chapters = append(chapters, chapter{Title: string(h.Lines().Value(pages[at].source))})
		}
		link, ok := n.(*ast.Link)
		if !ok || !entering || len(chapters) == 0 {
			return ast.WalkContinue, nil
		}
		for _, p := range pages {
			if p.Name == string(link.Destination) {
				listed[p.Source]++
				chapters[len(chapters)-1].Pages = append(chapters[len(chapters)-1].Pages, p)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, p := range pages {
		if listed[p.Source] != 1 {
			err = errors.Join(err, fmt.Errorf("%s lists %s %d times", indexPage, p.Source, listed[p.Source]))
		}
	}
	return chapters, err
}

// indexPage lists all pages.
const indexPage = "docs/pages.md"

// writeSearch writes the sections of all pages as a script, which a page can load without a server.
func writeSearch(file string, pages []*document) error {
	var sections []section
	for _, p := range pages {
		sections = append(sections, p.sections()...)
	}
	text, err := json.Marshal(sections)
	if err != nil {
		return err
	}
	return os.WriteFile(file, slices.Concat([]byte("const sections = "), text, []byte(";\n")), 0o644)
}

// sections returns the text of the page, heading by heading.
func (p *document) sections() (list []section) {
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		h, heading := n.(*ast.Heading)
		switch {
		case !entering:
			return ast.WalkContinue, nil
		case heading:
			id, _ := h.AttributeString("id")
			list = append(list, section{Page: p.Title, Heading: string(h.Lines().Value(p.source)), Address: fmt.Sprintf("%s#%s", p.Name, id)})
			return ast.WalkSkipChildren, nil
		case len(list) == 0:
			return ast.WalkContinue, nil
		}
		last := &list[len(list)-1]
		switch n := n.(type) {
		case *ast.Text:
			last.Text += string(n.Value(p.source)) + " "
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			last.Text += string(n.Lines().Value(p.source)) + " "
		}
		return ast.WalkContinue, nil
	})
	return list
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
