package records

import (
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

// wideColumns and longRows are the numbers of columns and rows from which on a printed table is shrunk to the width
// of the text, or continues on the next page.
const (
	wideColumns = 10
	longRows    = 50
)

//go:embed table.tex.tmpl
var latexSource string

// latexTemplate is parsed when first needed, like the other templates: most commands present nothing.
var latexTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("table.tex").Delims("<<", ">>").Funcs(template.FuncMap{
		"latex": latexText, "row": latexRow,
	}).Parse(latexSource))
})

// latexLevel is a level of headings above the last, and the rules below it.
type latexLevel struct{ Heads, Rules string }

// latex writes a table with the rules of the package booktabs.
func (s *sheet) latex(w io.Writer) error {
	n, bottom := len(s.Head[0]), len(s.Head)-1
	var above []latexLevel
	for level := range bottom {
		above = append(above, s.latexLevel(level))
	}
	return latexTemplate().Execute(w, struct {
		*sheet
		Columns    string
		Long, Wide bool
		Above      []latexLevel
		Bottom     []string
	}{s, strings.Repeat("l", s.Keys) + strings.Repeat("r", n-s.Keys), len(s.Body) > longRows, n > wideColumns, above, s.Head[bottom]})
}

// latexLevel joins columns that have this and all higher levels in common, and rules them.
func (s *sheet) latexLevel(level int) (l latexLevel) {
	same := func(j, k int) bool {
		return !slices.ContainsFunc(s.Head[:level+1], func(words []string) bool { return words[j] != words[k] })
	}
	words := s.Head[level]
	heads := make([]string, s.Keys)
	for j, k := s.Keys, 0; j < len(words); j = k {
		for k = j + 1; k < len(words) && same(j, k); k++ {
		}
		heads = append(heads, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, k-j, latexText(words[j])))
		l.Rules += fmt.Sprintf(`\cmidrule(lr){%d-%d}`, j+1, k)
	}
	l.Heads = strings.Join(heads, " & ")
	return l
}

func latexRow(words []string) string {
	var row []string
	for _, w := range words {
		row = append(row, latexText(w))
	}
	return strings.Join(row, " & ")
}

// mathematics matches numbers with an exponent, 1.2e-10 and 2^-53.
var mathematics = regexp.MustCompile(`(\d+(?:\.\d+)?)(e[+-]|\^)(-?\d+)`)

var latexSigns = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
	"{", `\{`, "}", `\}`, "~", `$\approx$`, "^", `\textasciicircum{}`, "–", "--", "ε", `$\varepsilon$`, "[", "{[}", "]", "{]}")

// latexText escapes a text; numbers with an exponent become mathematics.
func latexText(text string) string {
	var b strings.Builder
	end := 0
	for _, m := range mathematics.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(latexSigns.Replace(text[end:m[0]]))
		base, sign, exponent := text[m[2]:m[3]], text[m[4]:m[5]], text[m[6]:m[7]]
		if sign == "^" {
			fmt.Fprintf(&b, `$%s^{%s}$`, base, exponent)
		} else {
			power, _ := strconv.Atoi(sign[1:] + exponent) // digits, as matched
			fmt.Fprintf(&b, `$%s\cdot10^{%d}$`, base, power)
		}
		end = m[1]
	}
	return b.String() + latexSigns.Replace(text[end:])
}
