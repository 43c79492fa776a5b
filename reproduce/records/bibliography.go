package records

import (
	_ "embed"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// bibliography has a paragraph for each work, which begins with its key in bold brackets.
//
//go:embed BIBLIOGRAPHY.md
var bibliography string

// work is an entry of the bibliography.
type work struct {
	Key  string
	Text string // authors, title, where and when
}

// title returns the title of a work: the sentence after the authors, whose initials end in full stops as well.
func title(key string) string {
	_, after, _ := strings.Cut(lastName.ReplaceAllString(works()[key].Text, "|"), "|")
	if t, _, found := strings.Cut(after, ". "); found {
		return t
	}
	return "[" + key + "]"
}

// lastName matches up to the end of the first sentence that does not end in an initial.
var lastName = regexp.MustCompile(`^.*?\pL\pL\. `)

var entry = regexp.MustCompile(`(?m)^\*\*\[(\w+)\]\*\* (.+)$`)

// works holds the entries of BIBLIOGRAPHY.md by key.
var works = sync.OnceValue(func() map[string]work {
	all := map[string]work{}
	for _, m := range entry.FindAllStringSubmatch(bibliography, -1) {
		all[m[1]] = work{m[1], strings.ReplaceAll(m[2], "*", "")}
	}
	return all
})

var citation = regexp.MustCompile(`\[(\w+)\]`)

// cited returns a text as HTML in which the keys of the bibliography link to their entries.
func cited(text string) template.HTML {
	var b strings.Builder
	end := 0
	for _, at := range citation.FindAllStringSubmatchIndex(text, -1) {
		w, known := works()[text[at[2]:at[3]]]
		if !known {
			continue
		}
		b.WriteString(template.HTMLEscapeString(text[end:at[0]]))
		b.WriteString(`<a href="artifact.html#` + w.Key + `" title="` + template.HTMLEscapeString(w.Text) + `">[` + w.Key + `]</a>`)
		end = at[1]
	}
	b.WriteString(template.HTMLEscapeString(text[end:]))
	return template.HTML(b.String())
}

// Works returns the entries that the report cites, by key.
func (r *Report) Works() (list []work) {
	add := func(keys ...string) {
		for _, k := range keys {
			if w, known := works()[k]; known && !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
	}
	texts := func(all ...string) {
		for _, m := range citation.FindAllStringSubmatch(strings.Join(all, " "), -1) {
			add(m[1])
		}
	}
	for _, c := range r.Claims {
		add(c.Paper)
		texts(c.Source, c.Statement)
	}
	for _, e := range r.Experiments {
		add(e.Paper)
		texts(e.Source, e.Shows, e.Note)
	}
	slices.SortFunc(list, func(a, b work) int { return strings.Compare(a.Key, b.Key) })
	return list
}
