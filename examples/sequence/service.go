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

// serviceMain solves A x = b over HTTP, for one matrix. Clients send right-hand sides one at a time. The right-hand sides that
// arrive during a solve are the batch of the next solve.
func serviceMain() {
	listen := flag.String("listen", "localhost:8080", "address")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "service: want one argument, the file of a matrix")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *listen, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// serve answers requests until the context ends.
func serve(ctx context.Context, listen, path string) error {
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
	finished := make(chan struct{}) // closed when all requests have their reply, after the end of the context
	context.AfterFunc(ctx, func() {
		_ = server.Shutdown(context.Background())
		close(finished)
	})
	log.Printf("solving %d equations at http://%s/solve", m.Rows, listen)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-finished
	return nil
}

// service passes requests to one goroutine, which has the solver.
type service struct {
	n        int
	requests chan request
	done     chan struct{}
}

// A request is a right-hand side, and a buffered channel for the reply.
type request struct {
	b     []float64
	reply chan reply
}

// A reply is what a client gets.
type reply struct {
	X      []float64 `json:"x"`
	Reason string    `json:"reason"`
	Error  float64   `json:"error"`    // row-wise backward error of x
	Others int       `json:"together"` // number of right-hand sides in the batch
}

func newService(solver *mpsolve.Solver, n int) *service {
	s := &service{n: n, requests: make(chan request), done: make(chan struct{})}
	go s.work(solver)
	return s
}

// close ends the goroutine of the solver. No request may be in progress.
func (s *service) close() {
	close(s.requests)
	<-s.done
}

// work solves for the requests that wait, until close.
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
			out := reply{Others: len(batch)}
			if err == nil {
				out.X, out.Reason, out.Error = results[k].X, results[k].Reason.String(), results[k].Errors.Row
			} else {
				out.Reason = err.Error()
			}
			r.reply <- out
		}
	}
}

// waiting adds the requests that wait, up to the largest batch.
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

// ServeHTTP takes b as a JSON array and responds with x.
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
	wanted := request{b, make(chan reply, 1)}
	select {
	case s.requests <- wanted:
	case <-r.Context().Done():
		return
	}
	select {
	case out := <-wanted.reply:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // an error means that the client has gone
	case <-r.Context().Done():
	}
}
