package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/mpsolve/mpsolve/lab"
	"github.com/mpsolve/mpsolve/reproduce/records"
)

// stressMain attacks the solver with thousands of systems and injected faults, judges every solution in exact
// arithmetic, and prints a table; see lab. It exits with 1 if a case shows a fault. It lists cases that fail, with a
// command that repeats them.
func stressMain() {
	if err := stressRun(); err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		os.Exit(1)
	}
}

func stressRun() error {
	seed := flag.Uint64("seed", 1, "seed of the random numbers")
	share := flag.Float64("share", 1, "share of the cases of each class to run")
	names := flag.String("run", "*", "classes to run: patterns, such as no-x-*,graded")
	index := flag.Int("case", -1, "run this case of the class only")
	failing := flag.String("failing", "stress-failing", "`folder` for the systems that fail")
	processes := flag.Int("j", 2, "number of processes")
	markdown := flag.String("page", "", "write the tables into this `file` of the documentation")
	list := flag.Bool("list", false, "list the classes")
	all := flag.Bool("all", false, "print the verdict of each case and keep its system")
	serve := flag.Bool("serve", false, "run the cases of standard input (used by the program itself)")
	flag.Parse()
	if *serve {
		return lab.Serve(os.Stdin, os.Stdout, *seed, *failing, *all)
	}
	var classes []lab.StressClass
	var cases []lab.StressCase
	for _, f := range lab.StressClasses() {
		if !selected(f.Name, *names) {
			continue
		}
		classes = append(classes, f)
		if *list {
			fmt.Printf("%-22s %5d  %s\n", f.Name, f.Count, f.About)
			continue
		}
		n := int(float64(f.Count)**share + 0.999)
		for k := range n {
			if *index < 0 || k == *index {
				cases = append(cases, lab.StressCase{Class: f.Name, Index: k})
			}
		}
	}
	if *list {
		return nil
	}
	return spread(lab.NewReport(classes), cases, settings{*seed, *processes, *failing, *markdown, *all})
}

// selected reports whether a name matches one of several patterns.
func selected(name, patterns string) bool {
	for p := range strings.SplitSeq(patterns, ",") {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

// settings are flags of a whole run.
type settings struct {
	seed          uint64
	processes     int
	failing, page string
	all           bool // cases are printed
}

func spread(report *lab.Report, cases []lab.StressCase, set settings) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	remove, err := build()
	if err != nil {
		return err
	}
	defer remove()
	start := time.Now()
	err = lab.Spread(cases, set.processes, func() *exec.Cmd {
		return exec.Command(self, "stress", "-serve", "-seed", fmt.Sprint(set.seed), "-failing", set.failing, fmt.Sprint("-all=", set.all))
	}, func(o lab.Outcome) {
		report.Add(o)
		if set.all {
			fmt.Printf("%s %d: %s | %s\n", o.Class, o.Index, o.Verdict, o.Text)
		}
		for _, f := range o.Faults {
			fmt.Printf("%s %s %d (-seed %d -run %s -case %d): %s | %s | %s\n",
				f.Fault, o.Class, o.Index, set.seed, o.Class, o.Index, f.Why, o.Verdict, o.Text)
		}
	})
	if err != nil {
		return err
	}
	if err := report.Print(os.Stdout); err != nil {
		return err
	}
	fmt.Printf("%d cases in %.0f s\n", len(cases), time.Since(start).Seconds())
	if set.page != "" {
		if err := records.ReplaceSection(set.page, "<!-- stress begin -->", "<!-- stress end -->", report.Markdown(set.seed)); err != nil {
			return err
		}
	}
	if n := report.Faults(); n > 0 {
		return fmt.Errorf("%d faults", n)
	}
	return nil
}

// build builds mpsolve for the classes that attack the program, unless the environment names it.
func build() (remove func(), err error) {
	if os.Getenv(lab.BinaryVariable) != "" {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "stress")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	program := filepath.Join(dir, "mpsolve")
	text, err := exec.Command("go", "build", "-o", program, "github.com/mpsolve/mpsolve/cmd/mpsolve").CombinedOutput()
	if err != nil {
		remove()
		return nil, fmt.Errorf("building mpsolve: %w: %s", err, text)
	}
	return remove, os.Setenv(lab.BinaryVariable, program)
}
