package matrixmarket

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
)

// ReadFile reads a file. Plain files are read by all threads concurrently, pipes and
// compressed files by one at a time.
//
// A fault of the content is reported as an *Error, a file that needs too much memory
// as an error that wraps ErrTooLarge, a failed read as one that wraps the error of the
// system, and cancellation as ctx.Err().
func ReadFile(ctx context.Context, path string, opt Options) (*Content, error) {
	p := &progress{report: opt.Progress, total: -1}
	return start(ctx, opt, p, func() (*Content, error) {
		f, err := os.Open(path) // blocks if it is a FIFO that nobody writes to
		if err != nil {
			return nil, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err == nil && info.IsDir() {
			err = &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
		}
		if err != nil {
			return nil, err
		}
		var in *input
		if info.Mode().IsRegular() {
			p.total = info.Size()
			in, err = openFile(path, f, info.Size(), p)
		} else {
			in, err = openStream(path, f, p)
		}
		if err != nil {
			return nil, err
		}
		return in.read(ctx, opt)
	})
}

// Read reads from r to its end; name is its name in errors. It returns
// the errors of ReadFile. If the context is cancelled while r.Read blocks, Read
// returns at once and leaves r to a goroutine that ends when r.Read does.
func Read(ctx context.Context, r io.Reader, name string, opt Options) (*Content, error) {
	p := &progress{report: opt.Progress, total: -1}
	return start(ctx, opt, p, func() (*Content, error) {
		in, err := openStream(name, r, p)
		if err != nil {
			return nil, err
		}
		return in.read(ctx, opt)
	})
}

// start runs a read and abandons it when the context ends.
func start(ctx context.Context, opt Options, p *progress, read func() (*Content, error)) (*Content, error) {
	if opt.Threads < 0 {
		return nil, errors.New("matrixmarket: the number of threads is negative")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer p.stop()
	type outcome struct {
		content *Content
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		c, err := read()
		done <- outcome{c, err}
	}()
	select {
	case o := <-done:
		return o.content, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read goes through the whole file.
func (in *input) read(ctx context.Context, opt Options) (*Content, error) {
	if r := in.other(opt); r != nil {
		return in.readOther(ctx, r, opt)
	}
	r, err := in.begin(opt)
	if err != nil {
		return nil, err
	}
	if err := r.plausible(); err != nil {
		return nil, err
	}
	if err := r.parseAll(ctx); err != nil {
		return nil, err
	}
	in.progress.finish()
	return r.assemble(ctx)
}

// begin reads up to the size line.
func (in *input) begin(opt Options) (*reading, error) {
	if err := in.look(); err != nil {
		return nil, err
	}
	pre := &preamble{file: in.name, in: in.stream}
	if in.returns {
		pre.warn("lines end with carriage returns alone")
	}
	header, size, err := pre.read()
	if err != nil {
		return nil, err
	}
	if header.Field == Pattern && header.Format == Coordinate && pre.valued() {
		pre.warn("the banner says pattern, but entries have values: read as real")
		header.Field = Real
	}
	if err := checkParts(opt, header); err != nil {
		return nil, &Error{File: in.name, Msg: err.Error()}
	}
	r := &reading{
		parser: parser{header, size, max(opt.Parts, 1)}, in: in, pre: pre, opt: opt, threads: opt.Threads, shares: 1,
		limit: opt.budget(in.name, 0),
	}
	if r.threads == 0 {
		r.threads = runtime.GOMAXPROCS(0)
	}
	r.threads = min(r.threads, maxThreads)
	if opt.Check != nil {
		if err := opt.Check(header, size.rows, size.cols); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// maxThreads bounds the buffers, each of a piece of text.
const maxThreads = 256

// reading is the state of one read behind the size line.
type reading struct {
	parser
	in      *input
	pre     *preamble
	opt     Options
	threads int
	limit   budget

	share, shares int // of the pieces of a plain file, which of how many equal shares is read

	mu      sync.Mutex
	blocks  []*block     // by number of the piece
	lost    []entry      // what sums of duplicates lost, where they are to be exact
	entries atomic.Int64 // parsed so far
	stop    atomic.Bool  // no further pieces are wanted
	read    atomic.Int64 // bytes of text, streams only
}

// plausible refuses a size line that the length of the file contradicts or that needs
// too much memory, before anything is allocated.
func (r *reading) plausible() error {
	if r.in.file == nil {
		whole := r.limit
		r.limit.text = math.MaxInt64 // its proportion is judged when the length of the text is known
		err := r.checkMemory(r.size.entries)
		r.limit = whole
		return err
	}
	rest := r.in.size - r.pre.offset
	shortest := int64(2 * (r.indices() + r.values())) // digit and blank or line feed
	if most := (rest + 1) / shortest; r.size.entries > most {
		if rest <= defaultPiece {
			return nil // reading it costs nothing and tells where it ends
		}
		return r.pre.fault(r.size.line, 0, "%d entries are declared, but the %d bytes that follow cannot hold more than %d",
			r.size.entries, rest, most)
	}
	r.limit.text = r.in.size
	return r.checkMemory(r.size.entries)
}

// checkMemory checks the staged entries with the least that the result takes,
// which has so many entries if it is sparse, and as many in each part of its values.
func (r *reading) checkMemory(nonzeros int64) error {
	part := 8.0
	if r.Field == Complex {
		part = 16
	}
	need := float64(r.size.entries) * float64(r.stagedBytes())
	if r.Format == Array || r.Object == vectorObject {
		need += float64(r.rows) * float64(r.cols) * part
	} else {
		need += 8*float64(r.rows+1) + (4+part)*float64(nonzeros)
	}
	return r.limit.check(need*float64(r.parts), "a %d x %d %v with %s", r.rows, r.cols, r.Object, plural(int(r.size.entries), "entry"))
}

// source returns what hands out the text below the size line.
func (r *reading) source() source {
	piece := r.opt.pieceSize
	if piece == 0 {
		piece = defaultPiece
	}
	if r.in.file == nil {
		return &streamSource{in: r.in.stream, piece: piece, moved: func(n int) { r.read.Add(int64(n)) }}
	}
	r.in.progress.add(r.pre.offset)
	s := &fileSource{
		file: r.in.file, start: r.pre.offset, end: r.in.size, piece: int64(piece), moved: r.in.progress.add,
	}
	all := s.pieces()
	s.first = all * int64(r.share) / int64(r.shares)
	s.count = all*int64(r.share+1)/int64(r.shares) - s.first
	return s
}

// parseAll turns the whole text into blocks, and finds the first fault in it.
func (r *reading) parseAll(ctx context.Context) error {
	r.parsePieces(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	r.limit.text = max(r.limit.text, r.pre.offset+r.read.Load())
	return r.judge(position{line: r.pre.line}, true)
}

// parsePieces turns the text, or this share of it, into blocks, up to a fault or the end of the context.
func (r *reading) parsePieces(ctx context.Context) {
	src := r.source()
	var wg sync.WaitGroup
	for range r.threads {
		wg.Go(func() {
			var buf []byte
			for !r.stop.Load() {
				if ctx.Err() != nil {
					return
				}
				piece, grown, number, err := src.next(buf)
				buf = grown
				if err == io.EOF {
					return
				}
				b := &block{fault: &fault{cause: err}}
				if err == nil {
					b = r.parse(piece)
				}
				r.keep(number, b)
			}
		})
	}
	wg.Wait()
}

// keep stores a block at its position.
func (r *reading) keep(number int, b *block) {
	r.mu.Lock()
	for len(r.blocks) <= number {
		r.blocks = append(r.blocks, nil)
	}
	r.blocks[number] = b
	r.mu.Unlock()
	// Pieces are handed out in order, so all in front of this one are here or
	// on their way, and the first fault of the file is among them.
	if r.entries.Add(int64(b.entries)) > r.size.entries || b.fault != nil {
		r.stop.Store(true)
	}
}

// position is a position in the file: the lines and entries in front of it.
type position struct{ line, entries int64 }

// judge finds the first fault of the blocks in the order of their lines, which begin behind a position; last says that
// the file ends with them.
func (r *reading) judge(behind position, last bool) error {
	line, entries := behind.line, behind.entries
	for _, b := range r.blocks {
		missing := r.size.entries - entries
		switch {
		case int64(b.entries) > missing:
			return r.pre.fault(line+1+b.lineOf(int(missing)), 0, "there are more entries than the %d declared on line %d",
				r.size.entries, r.size.line)
		case b.fault == nil:
		case b.fault.cause != nil:
			return r.readingFault(b.fault.cause)
		case int64(b.entries) == missing:
			return r.pre.fault(line+1+b.fault.line, 0, "there is more than the %s declared on line %d",
				plural(int(r.size.entries), "entry"), r.size.line)
		default:
			return r.pre.fault(line+1+b.fault.line, b.fault.column, "%s", b.fault.msg)
		}
		line += b.lines
		entries += int64(b.entries)
	}
	if last && entries < r.size.entries {
		return r.pre.fault(line, 0, "the file ends after %d of the %d entries declared on line %d",
			entries, r.size.entries, r.size.line)
	}
	return nil
}

// readingFault wraps what a plain file returned; streams wrap theirs.
func (r *reading) readingFault(err error) error {
	if r.in.file != nil {
		return wrap(r.in.name, err)
	}
	return err
}
