package dist

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/mpsolve/mpsolve/pkg/parallel"
)

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
func (h *Halo) Start(x []float64) { h.exchange.start(h, x, x, nil) }

// Finish waits until the ghosts of x are updated.
func (h *Halo) Finish(x []float64) { h.exchange.finish(x, nil) }

// Exchange32 is Exchange for vectors of float32.
func (h *Halo) Exchange32(x []float32) {
	h.Start32(x)
	h.Finish32(x)
}

// Start32 is Start for vectors of float32.
func (h *Halo) Start32(x []float32) { h.narrow.start(h, x, x, nil) }

// Finish32 is Finish for vectors of float32.
func (h *Halo) Finish32(x []float32) { h.narrow.finish(x, nil) }

// Remote reports whether this rank receives anything from others.
func (h *Halo) Remote() bool { return len(h.narrow.in) > 0 }

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

// start sends the elements of src that others need and copies local ones to dst, on the threads of pool.
func (e *exchange[T]) start(h *Halo, dst, src []T, pool *parallel.Pool) {
	e.run(pool, len(e.out), exchangeJob[T]{e: e, src: src, do: (*exchangeJob[T]).pack})
	e.connection.Start()
	e.run(pool, len(h.chunks)-1, exchangeJob[T]{e: e, h: h, dst: dst, src: src, do: (*exchangeJob[T]).copy})
}

// finish waits for the messages of others and unpacks them.
func (e *exchange[T]) finish(dst []T, pool *parallel.Pool) {
	e.connection.Wait()
	e.run(pool, len(e.in), exchangeJob[T]{e: e, dst: dst, do: (*exchangeJob[T]).unpack})
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
	e        *exchange[T]
	h        *Halo
	dst, src []T
	do       func(j *exchangeJob[T], part int)
}

// Do executes a part of the step.
func (j *exchangeJob[T]) Do(part int) { j.do(j, part) }

func (j *exchangeJob[T]) pack(k int) {
	p := &j.e.out[k]
	j.e.codec.put(j.e.connection.Out(p.channel)[p.at:], j.src, p.elements)
}

func (j *exchangeJob[T]) unpack(k int) {
	p := &j.e.in[k]
	j.e.codec.get(j.dst, p.elements, j.e.connection.In(p.channel)[p.at:])
}

func (j *exchangeJob[T]) copy(k int) {
	for _, r := range j.h.runs[j.h.chunks[k]:j.h.chunks[k+1]] {
		j.e.codec.copy(j.dst[r.to:r.to+r.n], j.src[r.from:r.from+r.n])
	}
}

// codec is the encoding of elements in messages.
type codec[T any] struct {
	bytes int                                 // of an element
	put   func(out []byte, x []T, at []int32) // writes the elements at these positions
	get   func(x []T, at []int32, in []byte)  // reads them
	copy  func(dst, src []T)                  // sets dst to what would be read
}

// plain is the codec that sends numbers unchanged.
func plain[T float32 | float64]() codec[T] {
	var zero T
	return codec[T]{
		bytes: int(unsafe.Sizeof(zero)),
		put: func(out []byte, x []T, at []int32) {
			to := numbers[T](out)[:len(at)]
			for i, k := range at {
				to[i] = x[k]
			}
		},
		get: func(x []T, at []int32, in []byte) {
			for i, v := range numbers[T](in)[:len(at)] {
				x[at[i]] = v
			}
		},
		copy: func(dst, src []T) { copy(dst, src) },
	}
}

// numbers returns b as numbers, in the same memory.
func numbers[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// roundedBytes returns the least number of leading bytes of float64 whose roundoff is at most epsilon: k bytes hold a
// sign, 11 bits of exponent and 8 k - 12 bits of fraction.
func roundedBytes(epsilon float64) int {
	for k := 3; k < 8; k++ {
		if math.Ldexp(1, 11-8*k) <= epsilon {
			return k
		}
	}
	return 8
}

// rounded is the codec of numbers rounded to so many leading bytes of float64, 3 to 7.
func rounded(bytes int) codec[float64] {
	drop := uint(64 - 8*bytes)
	return codec[float64]{
		bytes: bytes,
		put: func(out []byte, x []float64, at []int32) {
			for i, k := range at {
				b := roundBits(x[k], drop) >> drop
				if o := out[i*bytes:]; (len(at)-i)*bytes >= 8 {
					binary.LittleEndian.PutUint64(o, b) // also into the next ones, which are written later
				} else {
					for j := range bytes {
						o[j] = byte(b >> (8 * j))
					}
				}
			}
		},
		get: func(x []float64, at []int32, in []byte) {
			for i, k := range at {
				var b uint64
				if o := in[i*bytes:]; (len(at)-i)*bytes >= 8 {
					b = binary.LittleEndian.Uint64(o)
				} else {
					for j := range bytes {
						b |= uint64(o[j]) << (8 * j)
					}
				}
				x[k] = math.Float64frombits(b << drop)
			}
		},
		copy: func(dst, src []float64) {
			for i, v := range src {
				dst[i] = math.Float64frombits(roundBits(v, drop))
			}
		},
	}
}

// roundBits returns the bits of v without the last drop bits, rounded to nearest, ties to even. The result is finite
// if v is finite, and NaN if v is NaN.
func roundBits(v float64, drop uint) uint64 {
	const exponent = 2047 << 52
	b := math.Float64bits(v)
	low := uint64(1)<<drop - 1
	if b&exponent == exponent {
		if v != v {
			b |= 1 << 51
		}
		return b &^ low
	}
	r := b + low>>1 + b>>drop&1
	if r&exponent == exponent { // the largest numbers are rounded towards zero
		r = b
	}
	return r &^ low
}

// A Reverse adds ghosts to the elements that they are copies of: the transpose of Halo.Exchange.
type Reverse struct {
	halo     *Halo
	back     *Halo // its links send what the links of halo receive
	exchange exchange[float64]
}

// Reverse returns the reverse of a halo. It is collective.
func (h *Halo) Reverse() *Reverse {
	r := &Halo{comm: h.comm}
	for _, l := range h.links {
		r.links = append(r.links, link{rank: l.rank, send: l.recv, recv: l.send})
	}
	a := &Reverse{halo: h, back: r}
	a.exchange.connect(r, plain[float64]())
	return a
}

// Add adds each ghost of x to the element that it is a copy of, in the order of the domains that have the ghosts, so
// that the bits do not depend on ranks. Ghosts do not change. It is collective.
func (r *Reverse) Add(x []float64) {
	r.exchange.start(r.back, x, x, nil)
	r.exchange.connection.Wait()
	k := 0 // channel
	here := r.halo.local
	for _, l := range r.halo.links { // by rank; the domains of a rank follow those of the rank before
		if l.rank > r.halo.comm.Rank() {
			addCopied(x, here)
			here = nil
		}
		if len(l.send) == 0 {
			continue
		}
		in := numbers[float64](r.exchange.connection.In(k))
		for i, at := range l.send {
			x[at] += in[i]
		}
		k++
	}
	addCopied(x, here)
}

// addCopied adds ghosts that are copies of the rank's own elements to these elements.
func addCopied(x []float64, ghosts []copied) {
	for _, c := range ghosts {
		x[c.from] += x[c.to]
	}
}
