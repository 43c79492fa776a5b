package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve/pkg/csr"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/matrixmarket"
)

// running is a service on the loopback interface.
type running struct {
	*service
	url  string
	stop func() error // ends it, and returns its error
}

func start(t *testing.T, l limits) *running {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, ended := newService(l), make(chan error, 1)
	go func() { ended <- serve(ctx, listener, s, time.Minute) }()
	return &running{s, "http://" + listener.Addr().String(), func() error { cancel(); return <-ended }}
}

// A request is a body to send, and what to expect of the answer.
type request struct {
	body, kind string
	status     int
	reason     string // part of the answer
	check      func(x []float64) error
}

func text(t *testing.T, m *csr.Matrix) string {
	t.Helper()
	var b bytes.Buffer
	if err := matrixmarket.Write(&b, m, matrixmarket.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// system returns a request for a regular system of n unknowns that number k tells from others.
func system(t *testing.T, n, k int) request {
	t.Helper()
	m, err := generate.Generate("convdiff2d", generate.Params{"n": float64(n), "peclet": float64(k%7) / 2})
	if err != nil {
		t.Fatal(err)
	}
	b := make([]float64, m.Rows)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("matrix", "a.mtx")
	fmt.Fprint(part, text(t, m))
	part, _ = form.CreateFormFile("rhs", "b.mtx")
	fmt.Fprintf(part, "%%%%MatrixMarket matrix array real general\n%d 1\n", m.Rows)
	for i := range b {
		b[i] = math.Sin(float64(k + i*i))
		fmt.Fprintln(part, strconv.FormatFloat(b[i], 'g', -1, 64))
	}
	_ = form.Close()
	return request{body.String(), form.FormDataContentType(), 200, "converged", func(x []float64) error {
		if len(x) != m.Cols {
			return fmt.Errorf("%d elements of x, want %d", len(x), m.Cols)
		}
		r, largest := make([]float64, m.Rows), 0.0
		m.MulVec(r, x)
		for _, v := range x {
			largest = max(largest, math.Abs(v))
		}
		for i := range r {
			sum := math.Abs(b[i])
			_, values := m.Row(i)
			for _, v := range values {
				sum += math.Abs(v) * largest
			}
			if !(math.Abs(b[i]-r[i]) <= 1.01e-10*sum) {
				return fmt.Errorf("row %d has the residual %g", i, b[i]-r[i])
			}
		}
		return nil
	}}
}

// post sends a request until the service is not busy, and returns the number of times.
func post(ctx context.Context, url string, r request) (times int, err error) {
	for {
		times++
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/solve", strings.NewReader(r.body))
		if err != nil {
			return times, err
		}
		q.Header.Set("Content-Type", r.kind)
		response, err := http.DefaultClient.Do(q)
		if err != nil {
			return times, err
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			return times, err
		}
		if response.StatusCode == http.StatusTooManyRequests && response.Header.Get("Retry-After") != "" {
			time.Sleep(2 * time.Millisecond)
			continue
		}
		var a answer
		if err := json.Unmarshal(body, &a); err != nil {
			return times, fmt.Errorf("%w: %s", err, body)
		}
		if response.StatusCode != r.status || !strings.Contains(a.Reason, r.reason) {
			return times, fmt.Errorf("status %d, %q; want %d, %q", response.StatusCode, a.Reason, r.status, r.reason)
		}
		if r.check != nil {
			return times, r.check(a.X)
		}
		return times, nil
	}
}

// metric returns the sum of the metrics that match.
func (s *running) metric(t *testing.T, pattern string) (sum int) {
	t.Helper()
	response, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, _ := io.ReadAll(response.Body)
	found := regexp.MustCompile(`(?m)^`+pattern+` (\d+)$`).FindAllStringSubmatch(string(page), -1)
	if found == nil {
		t.Fatalf("no metric %s:\n%s", pattern, page)
	}
	for _, m := range found {
		n, _ := strconv.Atoi(m[1])
		sum += n
	}
	return sum
}

// Of a thousand requests of many clients none is lost: each has the answer of its own system, or has been cancelled by its client.
func TestConcurrentThousand(t *testing.T) {
	before := runtime.NumGoroutine()
	s := start(t, limits{workers: 2, queue: 8, body: 1 << 19, memory: 1 << 28, rows: 5000, time: time.Minute})
	kinds := []request{
		{"%%MatrixMarket matrix coordinate real general\n6000 6000 1\n1 1 1\n", "text/plain", 413, "at most 5000 rows", nil},
		{"%%MatrixMarket matrix coordinate real general\n3 3 1000000\n" + strings.Repeat("1 1 1.5\n", 1<<17), "text/plain", 413, "too large", nil},
		{"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 x 1\n", "text/plain", 400, "matrix:4:3", nil},
		{"hello", "text/plain", 400, "banner", nil},
	}
	contradiction := request{"", "", 422, "inconsistent", nil}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("matrix", "a.mtx")
	fmt.Fprint(part, "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 4\n")
	part, _ = form.CreateFormFile("rhs", "b.mtx")
	fmt.Fprint(part, "%%MatrixMarket matrix array real general\n2 1\n1\n3\n")
	_ = form.Close()
	contradiction.body, contradiction.kind = body.String(), form.FormDataContentType()
	kinds = append(kinds, contradiction)
	for k := range 10 {
		kinds = append(kinds, system(t, 4+k, k))
	}
	large, count := system(t, 60, 1), int64(1000)
	if testing.Short() {
		count = 300
	}

	var next, sent, left, wrong atomic.Int64
	var clients sync.WaitGroup
	for range 32 {
		clients.Go(func() {
			for k := next.Add(1); k <= count; k = next.Add(1) {
				if k%20 == 0 { // a client that goes away
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(k)*10*time.Microsecond)
					times, err := post(ctx, s.url, large)
					if cancel(); err != nil {
						left.Add(1)
					}
					sent.Add(int64(times))
					continue
				}
				times, err := post(t.Context(), s.url, kinds[int(k)%len(kinds)])
				if sent.Add(int64(times)); err != nil && wrong.Add(1) < 10 {
					t.Errorf("request %d: %v", k, err)
				}
			}
		})
	}
	clients.Wait()
	for s.metric(t, "mpsolve_in_progress") > 0 { // those whose clients have gone
		time.Sleep(time.Millisecond)
	}
	received, ended := s.metric(t, "mpsolve_received_total"), s.metric(t, `mpsolve_requests_total\{.*\}`)
	if ended != received || received > int(sent.Load()) || received < int(sent.Load()-left.Load()) {
		t.Errorf("%d requests sent, %d of them by clients that went away; %d received, %d ended", sent.Load(), left.Load(), received, ended)
	}
	if failed := s.metric(t, `mpsolve_requests_total\{outcome="failed"\}`); failed > 0 || wrong.Load() > 0 || left.Load() == 0 {
		t.Errorf("%d faults, %d wrong answers, %d clients went away", failed, wrong.Load(), left.Load())
	}
	t.Logf("%d requests sent, %d clients went away, %d cancelled, %d told to come again", sent.Load(), left.Load(),
		s.metric(t, `mpsolve_requests_total\{outcome="cancelled"\}`), s.metric(t, `mpsolve_requests_total\{outcome="busy"\}`))
	http.DefaultClient.CloseIdleConnections()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		if wait == 2000 {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(time.Millisecond)
	}
}

// A parameter that the service does not know is refused, since the answer would not be the one that the client means.
func TestParameters(t *testing.T) {
	for query, want := range map[string]string{"tol=2": "between 0 and 1", "tolerance=1e-14": `"tolerance=1e-14": want no parameter but tol`} {
		r := httptest.NewRequest(http.MethodPost, "/solve?"+query, strings.NewReader("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"))
		if _, err := (&service{limits: limits{memory: 1 << 20, rows: 1}}).read(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
}

// After the signal to end, requests that have been taken are answered, and no more are taken.
func TestInterruptDrains(t *testing.T) {
	s := start(t, limits{workers: 1, queue: 19, body: 1 << 20, memory: 1 << 28, rows: 5000, time: time.Minute})
	r := system(t, 40, 1)
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			if times, err := post(t.Context(), s.url, r); err != nil || times != 1 {
				t.Errorf("%d times, %v", times, err)
			}
		})
	}
	for s.metric(t, "mpsolve_received_total") < 20 {
		time.Sleep(time.Millisecond)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	clients.Wait()
	if _, err := post(t.Context(), s.url, r); err == nil {
		t.Error("a request was taken after the end")
	}
	http.DefaultClient.CloseIdleConnections()
}

// A client that goes away while it sends has cancelled its request: nobody gets the answer, and the request is not an invalid one.
func TestClientGoesAwayWhileItSends(t *testing.T) {
	s := start(t, limits{workers: 1, queue: 1, body: 1 << 20, memory: 1 << 28, rows: 5000, time: time.Minute})
	client, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(client, "POST /solve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n")
	for s.metric(t, "mpsolve_in_progress") == 0 {
		time.Sleep(time.Millisecond)
	}
	_ = client.Close()
	for s.metric(t, "mpsolve_in_progress") > 0 {
		time.Sleep(time.Millisecond)
	}
	for outcome, want := range map[string]int{"cancelled": 1, "invalid": 0} {
		if n := s.metric(t, `mpsolve_requests_total\{outcome="`+outcome+`"\}`); n != want {
			t.Errorf("%d requests are %s, want %d", n, outcome, want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}
