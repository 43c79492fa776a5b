// Command service solves the sparse linear systems that clients send over HTTP, within limits of size, memory and time.
//
//	go run ./examples/service -listen localhost:8080 -workers 4
//	curl --data-binary @matrix.mtx 'localhost:8080/solve?tol=1e-8'
//	curl -F matrix=@matrix.mtx -F rhs=@b.mtx localhost:8080/solve
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/mpsolve/mpsolve"
	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

func main() {
	var l limits
	listen := flag.String("listen", "localhost:8080", "address")
	grace := flag.Duration("grace", time.Minute, "time for requests in progress after SIGTERM")
	flag.IntVar(&l.workers, "workers", 2, "systems that are solved at the same time, on a thread each")
	flag.IntVar(&l.queue, "queue", 16, "systems that wait besides")
	flag.Int64Var(&l.body, "max-body", 64<<20, "largest request in bytes")
	flag.IntVar(&l.rows, "max-rows", 1_000_000, "largest matrix in rows")
	flag.Int64Var(&l.memory, "max-memory", 2<<30, "memory of a request in bytes")
	flag.DurationVar(&l.time, "max-time", time.Minute, "time to read a request, and time of a solve")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(ctx, listener, newService(l), *grace); err != nil {
		log.Fatal(err)
	}
}

// serve answers requests until the context ends. Then it takes no more, answers those in progress, and after the grace time cancels
// what is left of them.
func serve(ctx context.Context, listener net.Listener, s *service, grace time.Duration) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /solve", s.solve)
	mux.HandleFunc("GET /metrics", s.writeMetrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer s.close()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return errors.Join(server.Shutdown(limited), server.Close())
}

// limits are what a service takes on.
type limits struct {
	workers, queue int           // systems that are solved, and that wait
	body, memory   int64         // bytes of a request, and of its system and solve
	rows           int           // of a matrix
	time           time.Duration // to read a request, and of a solve
}

// cancelled is the status of a request whose client has gone away, which nobody receives.
const cancelled = 499

// outcomes are how requests end, by HTTP status.
var outcomes = map[int]string{
	200: "converged", 422: "not converged", 400: "invalid", 413: "too large", 429: "busy", 500: "failed", cancelled: "cancelled",
}

// An answer is what a client gets.
type answer struct {
	status int
	Reason string    `json:"reason"` // why the solve ended, or what is wrong with the request
	Advice string    `json:"advice,omitempty"`
	X      []float64 `json:"x,omitempty"`     // the best found, if it has not converged
	Error  *float64  `json:"error,omitempty"` // row-wise backward error of x, if it is finite
}

// failure is the answer to a request with an error.
func failure(ctx context.Context, err error) answer {
	a := answer{status: 400, Reason: err.Error()}
	var body *http.MaxBytesError
	switch {
	case ctx.Err() != nil:
		a.status = cancelled
	case errors.As(err, &body), errors.Is(err, matrixmarket.ErrTooLarge), errors.Is(err, solve.ErrMemory):
		a.status = 413
	case errors.Is(err, context.DeadlineExceeded):
		a.status, a.Reason = 422, "time limit"
	}
	return a
}

// A job is a system of a request.
type job struct {
	ctx    context.Context // of the request: ends when the client goes away
	a      *csr.Matrix
	b      []float64
	tol    float64 // 0: the default
	answer chan answer
}

// service passes jobs to workers.
type service struct {
	limits
	slots   chan struct{} // held by the requests in progress
	jobs    chan *job     // has room for all of them
	working sync.WaitGroup

	mu      sync.Mutex  // guards the metrics
	ended   map[int]int // requests by status; 0: all that came
	solves  int
	seconds float64 // of all solves
}

func newService(l limits) *service {
	most := l.workers + l.queue
	s := &service{limits: l, slots: make(chan struct{}, most), jobs: make(chan *job, most), ended: map[int]int{}}
	for range l.workers {
		s.working.Go(func() {
			for j := range s.jobs {
				j.answer <- s.work(j)
			}
		})
	}
	return s
}

// close ends the workers when no request is in progress any more.
func (s *service) close() {
	for range cap(s.slots) {
		s.slots <- struct{}{}
	}
	close(s.jobs)
	s.working.Wait()
}

// solve answers a request to solve.
func (s *service) solve(w http.ResponseWriter, r *http.Request) {
	s.count(0)
	a := answer{status: 429, Reason: "the queue is full"}
	select {
	case s.slots <- struct{}{}: // before the body is read, which takes memory
		defer func() { <-s.slots }()
		a = s.answer(w, r)
	default:
		w.Header().Set("Retry-After", "1")
	}
	if a.status != cancelled {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		_ = json.NewEncoder(w).Encode(a) // an error means that the client has gone
	}
	s.count(a.status)
}

func (s *service) count(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended[status]++
}

// answer reads the system of a request and waits until a worker has solved it.
func (s *service) answer(w http.ResponseWriter, r *http.Request) answer {
	r.Body = http.MaxBytesReader(w, r.Body, s.body)
	in := http.NewResponseController(w)
	_ = in.SetReadDeadline(time.Now().Add(s.time))
	j, err := s.read(r)
	if err != nil {
		return failure(r.Context(), err)
	}
	_ = in.SetReadDeadline(time.Time{}) // which would end the context of the request
	s.jobs <- j
	return <-j.answer
}

// read reads the system of a request: a matrix as the body, with b = A·ones, or the parts matrix and rhs of a form.
func (s *service) read(r *http.Request) (j *job, err error) {
	j = &job{ctx: r.Context(), answer: make(chan answer, 1)}
	query := r.URL.Query()
	text := query.Get("tol")
	if query.Del("tol"); len(query) > 0 {
		return nil, fmt.Errorf("%.40q: want no parameter but tol", query.Encode())
	}
	if text != "" {
		if j.tol, err = strconv.ParseFloat(text, 64); err != nil || !(j.tol > 0 && j.tol < 1) {
			return nil, fmt.Errorf("tol=%.40q: want a number between 0 and 1", text)
		}
	}
	form, err := r.MultipartReader()
	if err != nil { // the body is no form
		err = s.readPart(j, "matrix", r.Body)
	}
	for err == nil && form != nil {
		part, next := form.NextPart()
		if err = next; err == nil {
			err = s.readPart(j, part.FormName(), part)
		}
	}
	switch {
	case err != nil && err != io.EOF: // which ends the form
		return nil, err
	case j.a == nil:
		return nil, errors.New("the form has no part named matrix")
	case j.b == nil:
		j.b = make([]float64, j.a.Rows)
		j.a.MulVec(j.b, slices.Repeat([]float64{1}, j.a.Cols))
	}
	return j, nil
}

// readPart reads a Matrix Market file. It compares the sizes in the header with the limits before it takes memory for them.
func (s *service) readPart(j *job, name string, r io.Reader) error {
	content, err := matrixmarket.Read(j.ctx, r, name, matrixmarket.Options{
		Threads: 1, MaxMemory: s.memory,
		Check: func(_ matrixmarket.Header, rows, cols int) error {
			if max(rows, cols) > s.rows {
				return fmt.Errorf("%s: %w: %d x %d, at most %d rows and columns", name, matrixmarket.ErrTooLarge, rows, cols, s.rows)
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	switch name {
	case "matrix":
		j.a, err = content.CSR()
	case "rhs":
		var columns [][]float64
		if columns, err = content.Columns(); err == nil && len(columns) != 1 {
			err = fmt.Errorf("rhs: want one column, not %d", len(columns))
		}
		j.b = slices.Concat(columns...)
	default:
		err = fmt.Errorf("part %.40q: want matrix or rhs", name)
	}
	return err
}

// work solves the system of a job. A panic becomes an answer, since the other requests go on.
func (s *service) work(j *job) (a answer) {
	start := time.Now()
	defer func() {
		if fault := recover(); fault != nil {
			debug.PrintStack()
			a = answer{status: 500, Reason: fmt.Sprint("a fault of mpsolve: ", fault)}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.solves, s.seconds = s.solves+1, s.seconds+time.Since(start).Seconds()
	}()
	ctx, cancel := context.WithTimeout(j.ctx, s.time)
	defer cancel()
	solver, err := mpsolve.New(ctx, j.a, solve.Options{Accuracy: solve.Accuracy{Tol: j.tol}, Limits: solve.Limits{Threads: 1, MaxMemory: s.memory}})
	if err != nil {
		return failure(j.ctx, err)
	}
	defer solver.Close()
	r, err := solver.Solve(ctx, j.b, nil)
	if err = errors.Join(err, j.ctx.Err()); err != nil {
		return failure(j.ctx, err)
	}
	a = answer{status: 422, Reason: r.Reason.String(), Advice: r.Advice, X: r.X}
	if r.Reason.Converged() {
		a.status = 200
	}
	if e := r.Errors.Row; e-e == 0 {
		a.Error = &e
	}
	return a
}

// writeMetrics writes the metrics in the text format of Prometheus.
func (s *service) writeMetrics(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(w, "# TYPE mpsolve_received_total counter\nmpsolve_received_total %d\n# TYPE mpsolve_requests_total counter\n", s.ended[0])
	for status, outcome := range outcomes {
		fmt.Fprintf(w, "mpsolve_requests_total{outcome=%q} %d\n", outcome, s.ended[status])
	}
	fmt.Fprintf(w, "# TYPE mpsolve_waiting gauge\nmpsolve_waiting %d\n# TYPE mpsolve_in_progress gauge\nmpsolve_in_progress %d\n"+
		"# TYPE mpsolve_solve_seconds summary\nmpsolve_solve_seconds_sum %g\nmpsolve_solve_seconds_count %d\n", len(s.jobs), len(s.slots), s.seconds, s.solves)
}
