package lab

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// StressCase names a case: a class and a number.
type StressCase struct {
	Class string
	Index int
}

// Serve reads cases from in, one a line, runs them and writes an outcome each to out. Spread's workers run it. If dir
// is not empty, Serve writes failing systems to that folder.
func Serve(in io.Reader, out io.Writer, seed uint64, dir string, keep bool) error {
	lines := bufio.NewScanner(in)
	enc := json.NewEncoder(out)
	for lines.Scan() {
		var c StressCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return err
		}
		f, ok := FindStressClass(c.Class)
		if !ok {
			return fmt.Errorf("stress: unknown class %q", c.Class)
		}
		o := f.Run(seed, c.Index)
		if (keep || len(o.Faults) > 0) && dir != "" {
			if err := o.save(dir); err != nil {
				return err
			}
		}
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	return lines.Err()
}

// stressPatience is the time after which the process of a case is killed.
const stressPatience = 120 * time.Second

// Spread runs the cases in so many processes, made by command, which call Serve. Whatever ends a process is an
// outcome, a crash or a hang of its case.
func Spread(cases []StressCase, processes int, command func() *exec.Cmd, each func(Outcome)) error {
	queue := make(chan StressCase)
	go func() {
		defer close(queue)
		for _, c := range cases {
			queue <- c
		}
	}()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range processes {
		wg.Go(func() {
			var w *worker
			for c := range queue {
				var o Outcome
				var err error
				if w == nil {
					if w, err = startWorker(command()); err != nil {
						mu.Lock()
						failed = err
						mu.Unlock()
						continue
					}
				}
				if o, err = w.run(c); err != nil {
					o = Outcome{Class: c.Class, Index: c.Index, Verdict: "crash", Digits: -1, Said: -1}
					o.fault(Panicked, "%v: %s", err, w.end())
					w = nil
				}
				mu.Lock()
				each(o)
				mu.Unlock()
			}
			if w != nil {
				w.end()
			}
		})
	}
	wg.Wait()
	return failed
}

// worker is a process that serves cases.
type worker struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *json.Decoder
	stderr strings.Builder
}

func startWorker(cmd *exec.Cmd) (*worker, error) {
	w := &worker{cmd: cmd}
	cmd.Stderr = &w.stderr
	var err error
	if w.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = json.NewDecoder(out)
	return w, cmd.Start()
}

func (w *worker) run(c StressCase) (o Outcome, err error) {
	timer := time.AfterFunc(stressPatience, func() { _ = w.cmd.Process.Signal(os.Kill) })
	defer timer.Stop()
	if err := json.NewEncoder(w.in).Encode(c); err != nil {
		return o, err
	}
	return o, w.out.Decode(&o)
}

// end ends the process and returns the head of what it printed on standard error.
func (w *worker) end() string {
	_ = w.in.Close()
	_ = w.cmd.Wait()
	text := w.stderr.String()
	return text[:min(len(text), 3000)]
}

// FindStressClass returns the class of that name.
func FindStressClass(name string) (StressClass, bool) {
	for _, f := range StressClasses() {
		if f.Name == name {
			return f, true
		}
	}
	return StressClass{}, false
}
