package report

import (
	"regexp"
	"strings"
)

// flagOf maps each option that texts of the library name to its flag.
var flagOf = map[string]string{
	"Digits": "digits", "MaxIter": "max-iter", "MaxMemory": "max-memory", "Method": "method", "NullSpace": "nullspace",
	"Precond": "precond", "Precond.Kind": "precond", "Precond.DropTol": "drop-tol", "Precond.Fill": "fill", "Reorder": "reorder",
	"Restart": "restart", "Scale": "scale", "Storage.Epsilon": "epsilon", "Storage.Set": "formats", "Tol": "tol", "Vectors.Kind": "vectors",
}

// settingOf maps settings whose value the command line spells in another way to their flags.
var settingOf = map[string]string{"Device = nil": "--device cpu", "Digits = NoDigits": "--digits none", "NoRefine = false": "--refine"}

// phrases adds flags to texts of the library that name something which is not an option there.
var phrases = strings.NewReplacer(
	"allow more time;", "allow more time (--max-time);",
	"as initial guess", "as initial guess (--guess)",
	"; check b", "; check b (--rhs)",
	"large where it is nearly a null vector", "large where it is nearly a null vector (--output)",
	"over several domains", "over several domains (--domains 1)",
	"a solve on one domain", "--domains 1",
)

// optionText matches an option in a text of the library: Options.Precond, Options.Tol = 1e-8, or
// Options.Precond = {Kind: ilut, Fill: 100}.
var optionText = regexp.MustCompile(`Options\.(\w+(?:\.\w+)*)(?: = (\{[^}]*\}|[^\s,:;()]+))?`)

// Flags replaces the options that a text of the library names by the flags of the command line.
func Flags(text string) string {
	text = optionText.ReplaceAllStringFunc(text, func(s string) string {
		parts := optionText.FindStringSubmatch(s)
		option, value := parts[1], parts[2]
		fields, several := strings.CutPrefix(strings.TrimSuffix(value, "}"), "{")
		if !several {
			return flag(s, option, value)
		}
		var flags []string
		for _, f := range strings.Split(fields, ", ") {
			name, value, _ := strings.Cut(f, ": ")
			flags = append(flags, flag(s, option+"."+name, value))
		}
		return strings.Join(flags, " ")
	})
	return phrases.Replace(text)
}

// flag returns the flag for an option with a value, which may be empty; text if there is no such flag.
func flag(text, option, value string) string {
	if spelled, ok := settingOf[option+" = "+value]; ok {
		return spelled
	}
	name, ok := flagOf[option]
	if !ok {
		return text
	}
	return strings.TrimSpace("--" + name + " " + value)
}
