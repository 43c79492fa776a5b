// Service solves A x = b over HTTP, for one matrix and right-hand sides that come one at a time from many clients. Those that
// come while it solves are solved for together when it is done.
//
//	go run ./examples/service -listen localhost:8080 matrix.mtx
//	curl -d '[1, 2, 3, 4]' localhost:8080/solve
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/mpsolve/mpsolve"
	"github.com/mpsolve/mpsolve/pkg/linop"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

func main() {
	listen := flag.String("listen", "localhost:8080", "address")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "service: want one argument, the file of a matrix")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *listen, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// run serves until the context ends.
func run(ctx context.Context, listen, path string) error {
	content, err := matrixmarket.ReadFile(ctx, path, matrixmarket.Options{})
	if err != nil {
		return err
	}
	m, err := content.CSR()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	solver, err := mpsolve.New(ctx, m, solve.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s := newService(solver, m.Rows)
	defer s.close()
	server := &http.Server{Addr: listen, Handler: s, ReadHeaderTimeout: 10 * time.Second}
	answered := make(chan struct{}) // all requests, after the context has ended
	context.AfterFunc(ctx, func() {
		_ = server.Shutdown(context.Background())
		close(answered)
	})
	log.Printf("solving %d equations at http://%s/solve", m.Rows, listen)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-answered
	return nil
}

// service answers requests by one goroutine that has the solver.
type service struct {
	n        int
	requests chan request
	done     chan struct{}
}

// A request is a right-hand side; its answer is sent on the channel, which has room for it.
type request struct {
	b      []float64
	answer chan answer
}

// An answer is what a client gets.
type answer struct {
	X      []float64 `json:"x"`
	Reason string    `json:"reason"`
	Error  float64   `json:"error"`    // row-wise backward error of x
	Others int       `json:"together"` // right-hand sides that were solved for together
}

func newService(solver *mpsolve.Solver, n int) *service {
	s := &service{n: n, requests: make(chan request), done: make(chan struct{})}
	go s.work(solver)
	return s
}

// close ends the service when no requests are served any more.
func (s *service) close() {
	close(s.requests)
	<-s.done
}

// work solves for what waits, until there is nothing more to come.
func (s *service) work(solver *mpsolve.Solver) {
	defer close(s.done)
	defer solver.Close()
	for first := range s.requests {
		batch := s.waiting([]request{first})
		b := make([][]float64, len(batch))
		for k, r := range batch {
			b[k] = r.b
		}
		results, err := solver.SolveMany(context.Background(), b, nil)
		for k, r := range batch {
			a := answer{Others: len(batch)}
			if err == nil {
				a.X, a.Reason, a.Error = results[k].X, results[k].Reason.String(), results[k].Errors.Row
			} else {
				a.Reason = err.Error()
			}
			r.answer <- a
		}
	}
}

// waiting adds the requests that wait, up to as many as are solved for side by side.
func (s *service) waiting(batch []request) []request {
	for len(batch) < linop.MostTogether {
		select {
		case r, ok := <-s.requests:
			if !ok {
				return batch
			}
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

// ServeHTTP takes a JSON array, b, and answers with x.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var b []float64
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, int64(32*s.n+1024))).Decode(&b)
	if err == nil {
		if len(b) != s.n {
			err = fmt.Errorf("the right-hand side has %d elements, the matrix %d rows", len(b), s.n)
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	wanted := request{b, make(chan answer, 1)}
	select {
	case s.requests <- wanted:
	case <-r.Context().Done():
		return
	}
	select {
	case a := <-wanted.answer:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(a) // a client that has gone needs no answer
	case <-r.Context().Done():
	}
}
