package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

type kernel struct {
	name string
	args []argument
}

// argument is a type in C and a name, or the name of a group of arguments.
type argument struct{ c, name, group string }

// pointer returns the type of what the argument points at, if it is a pointer.
func (a argument) pointer() (to string, ok bool) {
	_, to, ok = strings.Cut(strings.TrimSuffix(a.c, ")"), "(")
	return to, ok
}

var (
	comment     = regexp.MustCompile(`(?s)/\*.*?\*/`)
	macro       = regexp.MustCompile(`^#define (\w+)\((\w+(?:, \w+)*)\) *(.*KERNEL\(.*)`)
	group       = regexp.MustCompile(`^#define (\w+)_ARGUMENTS +(.*)`)
	use         = regexp.MustCompile(`^(\w+)\(([^)]*)\)`)
	declaration = regexp.MustCompile(`\bKERNEL\((\w+),`)
	concatenate = regexp.MustCompile(` *## *`)
)

// parse finds the kernels, also those that macros declare, and the groups of arguments.
func parse(text string) (kernels []kernel, groups map[string][]argument, err error) {
	text = comment.ReplaceAllString(text, " ")
	text = strings.ReplaceAll(text, "\\\n", " ")
	macros := map[string][]string{} // parameters and body, by name
	groups = map[string][]argument{}
	var plain strings.Builder
	for line := range strings.Lines(text) {
		if m := macro.FindStringSubmatch(line); m != nil {
			macros[m[1]] = m[2:]
		} else if m := group.FindStringSubmatch(line); m != nil {
			if groups[strings.ToLower(m[1])], _, err = arguments(m[2] + ")"); err != nil {
				return nil, nil, err
			}
		} else if m := use.FindStringSubmatch(line); m != nil && macros[m[1]] != nil {
			plain.WriteString(expand(macros[m[1]], m[2]))
		} else if !strings.HasPrefix(line, "#") {
			plain.WriteString(line)
		}
	}
	rest := plain.String()
	for {
		at := declaration.FindStringSubmatchIndex(rest)
		if at == nil {
			return kernels, groups, nil
		}
		k := kernel{name: rest[at[2]:at[3]]}
		if k.args, rest, err = arguments(rest[at[1]:]); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", k.name, err)
		}
		kernels = append(kernels, k)
	}
}

// expand returns the body of a macro with the words given for its parameters.
func expand(macro []string, given string) string {
	body := macro[1]
	words := strings.Split(given, ",")
	for k, p := range strings.Split(macro[0], ", ") {
		body = regexp.MustCompile(`\b`+p+`\b`).ReplaceAllString(body, strings.TrimSpace(words[k]))
	}
	return concatenate.ReplaceAllString(body, "") + "\n"
}

// arguments reads those up to the parenthesis that closes the list.
func arguments(text string) (list []argument, rest string, err error) {
	for depth, start, i := 1, 0, 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth > 1 || depth == 1 && text[i] != ',' {
			continue
		}
		words := strings.Fields(strings.ReplaceAll(text[start:i], ")", ") "))
		switch name, isGroup := strings.CutSuffix(words[0], "_ARGUMENTS"); {
		case len(words) == 1 && isGroup:
			list = append(list, argument{group: strings.ToLower(name)})
		case len(words) == 2:
			list = append(list, argument{c: words[0], name: words[1]})
		default:
			return nil, "", fmt.Errorf("cannot read the argument %q", text[start:i])
		}
		if depth == 0 {
			return list, text[i+1:], nil
		}
		start = i + 1
	}
	return nil, "", errors.New("the list of arguments has no end")
}
