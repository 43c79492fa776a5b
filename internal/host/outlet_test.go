package host

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// A write to a pipe that nobody reads fails when the program is to end, and the next write at once; a write that is
// read succeeds, whatever has ended.
func TestInterrupted(t *testing.T) {
	ended := make(chan struct{})
	read, written := io.Pipe()
	w := NewOutlet(ended, written.Write)
	go func() { _, _ = io.ReadFull(read, make([]byte, 5)) }() // and then no more
	if n, err := w.Write([]byte("first")); n != 5 || err != nil {
		t.Errorf("read: %d, %v", n, err)
	}
	time.AfterFunc(10*time.Millisecond, func() { close(ended) })
	for _, most := range []time.Duration{OutletGrace + 5*time.Second, OutletGrace / 2} {
		began := time.Now()
		if n, err := w.Write([]byte("second")); n != 0 || !errors.Is(err, ErrStalled) || time.Since(began) > most {
			t.Errorf("not read: %d, %v after %v", n, err, time.Since(began))
		}
	}
	var text strings.Builder
	if _, err := NewOutlet(ended, text.Write).Write([]byte("third")); err != nil || text.String() != "third" {
		t.Errorf("after the end: %q, %v", text.String(), err)
	}
}

// The caller may reuse its bytes at once, also after a write that was given up.
func TestWriteKeepsBytes(t *testing.T) {
	ended := make(chan struct{})
	close(ended)
	read, written := io.Pipe()
	p := []byte("abc")
	if _, err := NewOutlet(ended, written.Write).Write(p); !errors.Is(err, ErrStalled) {
		t.Fatal(err)
	}
	copy(p, "xyz")
	got := make([]byte, 3)
	if _, err := io.ReadFull(read, got); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
}
