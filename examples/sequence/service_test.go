package main

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mpsolve/mpsolve"
	"github.com/mpsolve/mpsolve/pkg/generate"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// Clients that send a right-hand side at the same time get the x of their own b.
func TestConcurrentClients(t *testing.T) {
	m, err := generate.Generate("poisson2d", generate.Params{"n": 12})
	if err != nil {
		t.Fatal(err)
	}
	solver, err := mpsolve.New(t.Context(), m, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newService(solver, m.Rows)
	server := httptest.NewServer(s)
	defer s.close()
	defer server.Close()
	var clients sync.WaitGroup
	for client := range 20 {
		clients.Go(func() {
			want, b := make([]float64, m.Rows), make([]float64, m.Rows)
			for i := range want {
				want[i] = math.Sin(float64((client + 1) * (i + 1)))
			}
			m.MulVec(b, want)
			body, _ := json.Marshal(b)
			response, err := http.Post(server.URL, "application/json", strings.NewReader(string(body)))
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			var got reply
			if err := json.NewDecoder(response.Body).Decode(&got); err != nil || got.Reason != "converged" || len(got.X) != m.Rows {
				t.Errorf("client %d: %v, %s, %d elements", client, err, got.Reason, len(got.X))
				return
			}
			for i, v := range got.X {
				if math.Abs(v-want[i]) > 1e-6 {
					t.Errorf("client %d: x_%d = %g, want %g", client, i, v, want[i])
					return
				}
			}
		})
	}
	clients.Wait()
	response, err := http.Post(server.URL, "application/json", strings.NewReader("[1, 2]"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusBadRequest {
		t.Errorf("a short right-hand side: %s", response.Status)
	}
}

// A file without a real matrix is an error.
func TestBadMatrix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.mtx")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // ends the service if it does start
	defer cancel()
	for text, want := range map[string]string{
		"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n": "a complex matrix",
		"hello": "must begin with a banner",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := serve(ctx, "localhost:0", path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
