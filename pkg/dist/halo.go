package dist

import "unsafe"

// Exchange sets the ghosts of a vector to the elements that they are copies of. Collective.
func (h *Halo) Exchange(x []float64) {
	h.Start(x)
	h.Finish(x)
}

// Start begins to renew the ghosts of x, whose elements must stay as they are until Finish(x). Collective.
func (h *Halo) Start(x []float64) { start(h, &h.exchange, x) }

// Finish waits until the ghosts of x are renewed.
func (h *Halo) Finish(x []float64) { finish(h, &h.exchange, x) }

// Exchange32 is Exchange for vectors of float32.
func (h *Halo) Exchange32(x []float32) {
	start(h, &h.narrow, x)
	finish(h, &h.narrow, x)
}

// exchange is the connection for vectors of T.
type exchange[T float32 | float64] struct {
	connection Connection
	out, in    [][]T // its buffers
}

func newExchange[T float32 | float64](h *Halo) (e exchange[T]) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	var send, recv []Channel
	for _, l := range h.links {
		if len(l.send) > 0 {
			send = append(send, Channel{l.rank, size * len(l.send)})
		}
		if len(l.recv) > 0 {
			recv = append(recv, Channel{l.rank, size * len(l.recv)})
		}
	}
	e.connection = h.comm.Connect(send, recv)
	for k := range send {
		e.out = append(e.out, numbers[T](e.connection.Out(k)))
	}
	for k := range recv {
		e.in = append(e.in, numbers[T](e.connection.In(k)))
	}
	return e
}

// numbers is b as numbers, in the same memory.
func numbers[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

func start[T float32 | float64](h *Halo, e *exchange[T], x []T) {
	k := 0
	for _, l := range h.links {
		if len(l.send) == 0 {
			continue
		}
		out := e.out[k]
		for i, at := range l.send {
			out[i] = x[at]
		}
		k++
	}
	e.connection.Start()
	for _, c := range h.local {
		x[c.to] = x[c.from]
	}
}

func finish[T float32 | float64](h *Halo, e *exchange[T], x []T) {
	e.connection.Wait()
	k := 0
	for _, l := range h.links {
		if len(l.recv) == 0 {
			continue
		}
		in := e.in[k]
		for i, at := range l.recv {
			x[at] = in[i]
		}
		k++
	}
}
