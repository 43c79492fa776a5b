package exhibit

import (
	"fmt"
	"regexp"
	"strings"
)

// wideColumns and longRows are those from which on a table in print is shrunk to the
// width of the text, or goes on on the next page.
const (
	wideColumns = 10
	longRows    = 50
)

// latex is a table with the rules of the package booktabs.
func (s *Sheet) latex() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	n := len(s.Head[0])
	columns := strings.Repeat("l", s.Keys) + strings.Repeat("r", n-s.Keys)
	long, wide := len(s.Body) > longRows, n > wideColumns
	switch {
	case long:
		line(`%% \usepackage{booktabs,longtable}`)
		line(`\begingroup\scriptsize`)
		line(`\begin{longtable}{%s}`, columns)
	case wide:
		line(`%% \usepackage{booktabs,graphicx}`)
	default:
		line(`%% \usepackage{booktabs}`)
	}
	if !long {
		line(`\begin{table}`)
		line(`\centering\small`)
	}
	line(`\caption{%s}`, latexText(s.Caption))
	line(`\label{tab:%s}`, s.Name)
	switch {
	case long:
		line(`\\`)
	case wide:
		line(`\resizebox{\linewidth}{!}{%%`)
	}
	if !long {
		line(`\begin{tabular}{%s}`, columns)
	}
	line(`\toprule`)
	bottom := len(s.Head) - 1
	for level := range bottom {
		heads, rules := s.latexLevel(level)
		line(`%s \\`, strings.Join(heads, " & "))
		line(`%s`, rules)
	}
	line(`%s \\`, latexRow(s.Head[bottom]))
	line(`\midrule`)
	if long {
		line(`\endhead`)
	}
	for _, words := range s.Body {
		line(`%s \\`, latexRow(words))
	}
	line(`\bottomrule`)
	switch {
	case long:
		line(`\end{longtable}`)
	case wide:
		line(`\end{tabular}}`)
	default:
		line(`\end{tabular}`)
	}
	for _, note := range s.Notes {
		line(`\par\footnotesize %s`, latexText(note))
	}
	if long {
		line(`\endgroup`)
	} else {
		line(`\end{table}`)
	}
	return b.String()
}

// latexLevel joins columns that have this and all levels above it in common, and
// rules them.
func (s *Sheet) latexLevel(level int) (heads []string, rules string) {
	same := func(j, k int) bool {
		for _, l := range s.Head[:level+1] {
			if l[j] != l[k] {
				return false
			}
		}
		return true
	}
	words := s.Head[level]
	for j := 0; j < len(words); {
		if j < s.Keys {
			heads = append(heads, "")
			j++
			continue
		}
		k := j + 1
		for k < len(words) && same(j, k) {
			k++
		}
		heads = append(heads, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, k-j, latexText(words[j])))
		rules += fmt.Sprintf(`\cmidrule(lr){%d-%d}`, j+1, k)
		j = k
	}
	return heads, rules
}

func latexRow(words []string) string {
	var row []string
	for _, w := range words {
		row = append(row, latexText(w))
	}
	return strings.Join(row, " & ")
}

// mathematics are numbers with an exponent, 1.2e-10 and 2^-53.
var mathematics = regexp.MustCompile(`(\d+(?:\.\d+)?)e([+-]\d+)|(\d+)\^(-?\d+)`)

var latexSigns = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
	"{", `\{`, "}", `\}`, "~", `$\approx$`, "^", `\textasciicircum{}`, "–", "--", "ε", `$\varepsilon$`, "[", "{[}", "]", "{]}")

// latexText escapes a text; numbers with an exponent become mathematics.
func latexText(text string) string {
	var b strings.Builder
	for {
		m := mathematics.FindStringSubmatchIndex(text)
		if m == nil {
			b.WriteString(latexSigns.Replace(text))
			return b.String()
		}
		b.WriteString(latexSigns.Replace(text[:m[0]]))
		if m[2] >= 0 {
			exponent := strings.TrimPrefix(text[m[4]:m[5]], "+")
			sign := ""
			if exponent[0] == '-' {
				sign, exponent = "-", exponent[1:]
			}
			if exponent = strings.TrimLeft(exponent, "0"); exponent == "" {
				sign, exponent = "", "0"
			}
			fmt.Fprintf(&b, `$%s\cdot10^{%s%s}$`, text[m[2]:m[3]], sign, exponent)
		} else {
			fmt.Fprintf(&b, `$%s^{%s}$`, text[m[6]:m[7]], text[m[8]:m[9]])
		}
		text = text[m[1]:]
	}
}
