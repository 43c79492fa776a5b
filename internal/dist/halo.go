package dist

import "github.com/mpsolve/mpsolve/internal/parallel"

// Halo updates ghosts.
type Halo struct {
	local []copied // within this rank
	links []link   // to and from other ranks
	comm  Comm

	runs   []run // local
	chunks []int // of runs: chunk k is chunks[k] to chunks[k+1]-1

	exchange exchange[float64]
	narrow   exchange[float32]
}

// copied says that element to, a ghost, is a copy of element from.
type copied struct{ to, from int32 }

// run is a run of n consecutive elements to copy.
type run struct {
	copied
	n int32
}

// link is the exchange with another rank: the positions of elements to send, and of ghosts, in an order that both
// ranks know.
type link struct {
	rank       int
	send, recv []int32
}

// chunkSize is about the number of elements that a thread takes at a time. A halo of a few elements is not worth
// waking threads.
const chunkSize = 4096

// connect prepares the exchanges of a halo whose local copies and links are known. It is collective.
func (h *Halo) connect() {
	for _, c := range h.local {
		if k := len(h.runs) - 1; k >= 0 {
			last := &h.runs[k]
			if last.to+last.n == c.to && last.from+last.n == c.from && last.n < chunkSize {
				last.n++
				continue
			}
		}
		h.runs = append(h.runs, run{c, 1})
	}
	h.chunks = []int{0}
	elements := 0
	for k, r := range h.runs {
		if elements += int(r.n); elements >= chunkSize || k == len(h.runs)-1 {
			h.chunks, elements = append(h.chunks, k+1), 0
		}
	}
	h.exchange.connect(h, plain[float64]())
	h.narrow.connect(h, plain[float32]())
}

// Rounded returns a halo with the same ghosts, which become copies of elements rounded to a relative error of at most
// epsilon: only the leading bytes of float64 travel. Ghosts on the same rank are rounded alike. It is collective.
func (h *Halo) Rounded(epsilon float64) *Halo {
	bytes := roundedBytes(epsilon)
	if bytes == 8 {
		return h
	}
	r := *h
	r.exchange = exchange[float64]{}
	r.exchange.connect(&r, rounded(bytes))
	return &r
}

// Exchange sets the ghosts of a vector to the elements that they are copies of. It is collective.
func (h *Halo) Exchange(x []float64) {
	h.Start(x)
	h.Finish(x)
}

// Start begins to update the ghosts of x, whose elements must not change until Finish(x). It is collective.
func (h *Halo) Start(x []float64) { h.exchange.start(h, x, nil) }

// Finish waits until the ghosts of x are updated.
func (h *Halo) Finish(x []float64) { h.exchange.finish(x, nil) }

// Exchange32 is Exchange for vectors of float32.
func (h *Halo) Exchange32(x []float32) {
	h.narrow.start(h, x, nil)
	h.narrow.finish(x, nil)
}

// exchange holds the connection for vectors of T.
type exchange[T float32 | float64] struct {
	connection Connection
	codec      codec[T]
	out, in    []piece
	job        exchangeJob[T]
}

// piece is some elements that travel through a channel, from byte at on.
type piece struct {
	channel, at int
	elements    []int32
}

func (e *exchange[T]) connect(h *Halo, c codec[T]) {
	var send, recv []Channel
	for _, l := range h.links {
		if len(l.send) > 0 {
			e.out = pieces(e.out, len(send), l.send, c.bytes)
			send = append(send, Channel{l.rank, c.bytes * len(l.send)})
		}
		if len(l.recv) > 0 {
			e.in = pieces(e.in, len(recv), l.recv, c.bytes)
			recv = append(recv, Channel{l.rank, c.bytes * len(l.recv)})
		}
	}
	e.codec, e.connection = c, h.comm.Connect(send, recv)
}

// pieces appends the pieces of a channel.
func pieces(list []piece, channel int, elements []int32, bytes int) []piece {
	for at := 0; at < len(elements); at += chunkSize {
		list = append(list, piece{channel, at * bytes, elements[at:min(at+chunkSize, len(elements))]})
	}
	return list
}

// start sends the elements of x that others need and copies local ones, on the threads of pool.
func (e *exchange[T]) start(h *Halo, x []T, pool *parallel.Pool) {
	e.run(pool, len(e.out), exchangeJob[T]{e: e, x: x, do: (*exchangeJob[T]).pack})
	e.connection.Start()
	e.run(pool, len(h.chunks)-1, exchangeJob[T]{e: e, h: h, x: x, do: (*exchangeJob[T]).copy})
}

// finish waits for the messages of others and unpacks them.
func (e *exchange[T]) finish(x []T, pool *parallel.Pool) {
	e.connection.Wait()
	e.run(pool, len(e.in), exchangeJob[T]{e: e, x: x, do: (*exchangeJob[T]).unpack})
}

func (e *exchange[T]) run(pool *parallel.Pool, parts int, job exchangeJob[T]) {
	if parts <= 0 {
		return
	}
	if parts < 4 {
		pool = nil
	}
	e.job = job
	pool.Run(parts, &e.job)
	e.job = exchangeJob[T]{}
}

// exchangeJob is a step of an exchange as a parallel job.
type exchangeJob[T float32 | float64] struct {
	e  *exchange[T]
	h  *Halo
	x  []T
	do func(j *exchangeJob[T], part int)
}

// Do executes a part of the step.
func (j *exchangeJob[T]) Do(part int) { j.do(j, part) }

func (j *exchangeJob[T]) pack(k int) {
	p := &j.e.out[k]
	j.e.codec.put(j.e.connection.Out(p.channel)[p.at:], j.x, p.elements)
}

func (j *exchangeJob[T]) unpack(k int) {
	p := &j.e.in[k]
	j.e.codec.get(j.x, p.elements, j.e.connection.In(p.channel)[p.at:])
}

func (j *exchangeJob[T]) copy(k int) {
	for _, r := range j.h.runs[j.h.chunks[k]:j.h.chunks[k+1]] {
		j.e.codec.copy(j.x[r.to:r.to+r.n], j.x[r.from:r.from+r.n])
	}
}
