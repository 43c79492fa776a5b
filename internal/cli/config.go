package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/mpsolve/mpsolve/lab"
)

// configFlag is the path of a file of flags.
type configFlag string

func (f *configFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "config", "", "read flags from this YAML `file`, such as one that mpsolve tune --save wrote; flags of the command line win")
}

// longestConfig is more than all flags take, in bytes.
const longestConfig = 1 << 20

// read returns the text of the file.
func (f configFlag) read() ([]byte, error) {
	file, err := os.Open(string(f))
	if err != nil {
		return nil, &exitError{exitInput, err}
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, longestConfig+1))
	switch {
	case err != nil:
		return nil, &exitError{exitInput, err}
	case len(text) > longestConfig:
		return nil, usage("%s: is longer than 1 MiB, which is no file of flags", f)
	}
	return text, nil
}

// apply sets the flags of the file that the command line does not give. The file is a YAML mapping from names of flags to
// values.
func (f configFlag) apply(fl *pflag.FlagSet) error {
	if f == "" {
		return nil
	}
	text, err := f.read()
	if err != nil {
		return err
	}
	var page, more yaml.Node
	pages := yaml.NewDecoder(bytes.NewReader(text))
	switch err := pages.Decode(&page); {
	case errors.Is(err, io.EOF): // nothing but comments
		return nil
	case err != nil:
		return usage("%s: %s", f, oneLine(err))
	case !errors.Is(pages.Decode(&more), io.EOF):
		return usage("%s: want one YAML document, there are several", f)
	}
	flags := page.Content[0]
	if flags.Kind != yaml.MappingNode {
		return usage("%s, line %d, column %d: want lines of a flag and its value, such as \"method: cg\"", f, flags.Line, flags.Column)
	}
	given := map[string]bool{} // flags of the command line
	fl.Visit(func(o *pflag.Flag) { given[o.Name] = true })
	seen := map[string]bool{}
	for k := 0; k < len(flags.Content); k += 2 {
		name, value := flags.Content[k], flags.Content[k+1]
		if err := set(fl, name.Value, value, given, seen); err != nil {
			return usage("%s, line %d, column %d: %w", f, name.Line, name.Column, err)
		}
	}
	return nil
}

// set sets one flag, unless the command line gives it.
func set(fl *pflag.FlagSet, name string, value *yaml.Node, given, seen map[string]bool) error {
	flag := fl.Lookup(name)
	switch {
	case name == "config" || name == "help":
		return fmt.Errorf("%s is for the command line only", name)
	case flag == nil:
		return fmt.Errorf("unknown flag %q; did you mean %s?", name, strings.Join(meant(name, fl), " or "))
	case seen[name]:
		return fmt.Errorf("%s has a value already", name)
	}
	seen[name] = true
	var words []string
	switch value.Kind {
	case yaml.ScalarNode:
		words = []string{value.Value}
	case yaml.SequenceNode:
		for _, v := range value.Content {
			words = append(words, v.Value)
		}
	}
	text := strings.Join(words, ",")
	if words == nil || value.Tag == "!!null" || emptyText(flag, text) {
		return fmt.Errorf("%s: want a value", name)
	}
	if given[name] {
		return nil
	}
	err := fl.Set(name, text)
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		err = fmt.Errorf("%s %s: %w", name, invalid.GetValue(), wanted(invalid.Unwrap()))
	}
	return err
}

// saveConfig writes a comment and flags to a file for --config.
func saveConfig(ctx context.Context, path, comment string, flags []lab.Flag) error {
	page := yaml.Node{Kind: yaml.MappingNode, HeadComment: strings.TrimSpace(comment)}
	for _, f := range flags {
		page.Content = append(page.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: f.Name}, &yaml.Node{Kind: yaml.ScalarNode, Value: f.Value})
	}
	text, err := yaml.Marshal(&page)
	if err != nil {
		return err
	}
	return writeFile(ctx, path, func(to io.Writer) error {
		_, err := to.Write(text)
		return err
	})
}
