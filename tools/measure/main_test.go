package main

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
)

// agataRun returns the output of a command.
func agataRun(ctx context.Context, args ...string) (string, error) {
	c := root()
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(args)
	err := c.ExecuteContext(ctx)
	return out.String(), err
}

// TestThreads: the output is the same for any number of threads, except for times; the early exit finds what the full
// search finds.
func TestThreads(t *testing.T) {
	if testing.Short() { // the crystal and the search have their own tests of races
		t.Skip("takes a crystal for each number of threads")
	}
	var outputs []string
	for _, threads := range []string{"1", "3"} {
		out, err := agataRun(t.Context(), "search", "--algorithm", "exit", "--events", "40", "--spacing", "3", "--threads", threads)
		if err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, regexp.MustCompile(`\S+ an event and thread`).ReplaceAllString(out, ""))
	}
	if outputs[0] != outputs[1] || !strings.Contains(outputs[0], "as the reference   100.00 %") {
		t.Errorf("by one thread:\n%sby three:\n%s", outputs[0], outputs[1])
	}
}

func TestSimulate(t *testing.T) {
	out, err := agataRun(t.Context(), "simulate", "--events", "2", "--channels", "37", "--spacing", "3")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); err != nil || len(lines) != 2*37 || strings.Count(lines[0], ",") != 5+40 {
		t.Errorf("%d lines, %v, first: %s", len(lines), err, lines[0])
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := agataRun(ctx, "search", "--spacing", "3"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"search --precision FP16 --lut linear", "search --channels 3", "simulate --events 0", "search --spacing 7"} {
		if _, err := agataRun(t.Context(), strings.Fields(args)...); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
}
