package matrixmarket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mpsolve/mpsolve/internal/dist"
)

// readShares has each rank read its share of a plain file.
func readShares(ctx context.Context, c dist.Comm, path string, opt DistributedOptions, s survey) (*Distributed, error) {
	p, err := parseShare(ctx, c, path, opt, s)
	if err != nil {
		return nil, err
	}
	v := &Distributed{Content: p.content, How: readByAll(c)}
	return v, p.reading.distribute(ctx, c, v, opt, p.found.mixed(), p.behind.line+1)
}

// share is the share of a file that a rank has parsed.
type share struct {
	reading *reading
	content *Content // what is known of the whole
	found   findings // in the whole
	behind  position // where it begins
}

// parseShare parses the share of this rank, and returns the first fault of all. Collective.
func parseShare(ctx context.Context, c dist.Comm, path string, opt DistributedOptions, s survey) (*share, error) {
	r, file, err := openSame(c, path, opt, s)
	if err := agree(c, err); err != nil {
		if file != nil {
			file.Close()
		}
		return nil, err
	}
	defer file.Close()
	defer r.in.progress.stop()
	if err := compare(c, path, r.in.file, r.in.size); err != nil {
		return nil, err
	}
	r.parsePieces(ctx)
	if err := agree(c, ctx.Err()); err != nil {
		return nil, err
	}
	behind := r.behind(c)
	if err := agree(c, r.judge(behind, c.Rank() == c.Size()-1)); err != nil {
		return nil, err
	}
	r.in.progress.finish()
	p := &share{reading: r, behind: behind, found: r.findAll(c, behind.line+1)}
	p.content = &Content{
		Header: r.Header, Rows: r.rows, Cols: r.cols, Stored: r.size.entries,
		Warnings: r.pre.warnings, limit: r.limit,
	}
	r.report(p.content, p.found)
	return p, nil
}

// openSame opens the file that rank 0 has looked at, for the share of this rank.
func openSame(c dist.Comm, path string, opt DistributedOptions, s survey) (*reading, io.Closer, error) {
	opt.Check = nil // rank 0 has done that
	in, file, err := openInput(path, opt.Options)
	if err != nil {
		return nil, nil, notTheSame(c, path, err)
	}
	r, err := in.begin(opt.Options)
	if err != nil {
		return nil, file, notTheSame(c, path, err)
	}
	r.share, r.shares = c.Rank(), c.Size()
	r.limit.max = (r.limit.max + int64(c.Size()) - 1) / int64(c.Size())
	r.limit.installed /= int64(max(1, opt.Sharing))
	r.in.progress.total /= int64(c.Size())
	if r.survey() != s {
		return r, file, errNotTheSame(path)
	}
	return r, file, r.checkShare(r.size.entries/int64(c.Size()), 0)
}

// notTheSame returns the error of a rank that cannot open the file that rank 0 has opened.
func notTheSame(c dist.Comm, path string, err error) error {
	var fault *Error
	switch {
	case c.Rank() > 0 && errors.As(err, &fault): // rank 0 has found none
		return fmt.Errorf("%w: %s", errNotTheSame(path), fault.Msg)
	case c.Rank() > 0:
		return fmt.Errorf("%w (all ranks read a plain file: it must be on a file system that they share)", err)
	}
	return err
}

func errNotTheSame(path string) error {
	return fmt.Errorf("%s: the file is not the one that rank 0 has opened", path)
}

// behind returns where the share of this rank begins. Collective. If a share in front of it has a fault, the result is not known, and is not used.
func (r *reading) behind(c dist.Comm) position {
	total := make([]int64, 2)
	for _, b := range r.blocks {
		total[0] += b.lines
		total[1] += int64(b.entries)
	}
	at := position{line: r.pre.line}
	for _, b := range c.Gather(dist.Bytes(total))[:c.Rank()] {
		n := dist.Numbers[int64](b)
		at.line += n[0]
		at.entries += n[1]
	}
	return at
}

// findAll returns what the blocks of all ranks hold, given the first line of this one. Collective.
func (r *reading) findAll(c dist.Comm, line int64) (all findings) {
	for _, b := range c.Gather(encoded(r.find(line).sent())) {
		var s sentFindings
		decode(b, &s)
		all.add(s)
	}
	return all
}

// sentFindings are findings as ranks send them.
type sentFindings struct {
	Counts, Lines            []int64 // of notes, and of entries above the diagonal
	Diagonal, Entries, Zeros int64
}

func (f findings) sent() sentFindings {
	s := sentFindings{Diagonal: f.diagonal, Entries: f.entries, Zeros: f.zeros}
	for _, n := range append(f.notes[:], f.upper) {
		s.Counts, s.Lines = append(s.Counts, n.count), append(s.Lines, n.line)
	}
	return s
}

// add adds the findings of the next rank.
func (f *findings) add(s sentFindings) {
	for k := range f.notes {
		f.notes[k].add(note{s.Counts[k], s.Lines[k]}, 0)
	}
	f.upper.add(note{s.Counts[noteKinds], s.Lines[noteKinds]}, 0)
	f.diagonal += s.Diagonal
	f.entries += s.Entries
	f.zeros += s.Zeros
}

// distribute makes the matrix of the blocks of all ranks, of which the first here begins on a line.
func (r *reading) distribute(ctx context.Context, c dist.Comm, v *Distributed, opt DistributedOptions, mixed bool, line int64) error {
	counts := r.counts()
	counts.Sum(c)
	domains := opt.domains(int64(r.rows))
	d, err := counts.Cut(domains)
	if err != nil {
		return err
	}
	lo, hi := d.Owned(c.Rank(), c.Size())
	a := &assembly{
		reading: r, from: int(d.Start[lo]), to: int(d.Start[hi]),
		tagged: mixed, clean: v.Zeros == 0 || opt.KeepZeros,
	}
	if a.blocks, err = r.exchange(ctx, c, d, mixed); err != nil {
		return err
	}
	staged := int64(0)
	for _, b := range a.blocks {
		staged += int64(b.entries) * r.stagedBytes()
	}
	raw := int64(0)
	err = a.build(context.Background(), func(nonzeros int64) error { // collective, as this one is: no rank may leave it
		raw = nonzeros
		return agree(c, r.checkShare(nonzeros, staged))
	})
	if err != nil {
		return err
	}
	if err := a.agreeConflict(c, line); err != nil {
		return err
	}
	r.blocks = nil
	sums := []int64{a.duplicates}
	c.Sum(sums)
	v.Duplicates = sums[0]
	v.tellDuplicates()
	v.Dist, err = adopt(c, d, dist.Slab{Matrix: a.matrix()}, raw, domains, int64(r.cols))
	return err
}

// adopt makes the matrix of so many columns of rows that had so many nonzeros when they were cut into domains. If some have gone away on any rank, it
// cuts them anew and moves them to their owners first. Collective.
func adopt(c dist.Comm, d dist.Domains, m dist.Slab, nonzeros int64, domains int, cols int64) (*dist.Matrix, error) {
	if dist.Any(c, int64(m.NNZ()) != nonzeros) {
		lo, _ := d.Owned(c.Rank(), c.Size())
		if e, err := dist.CutRows(c, d.Rows(), d.Start[lo], m.RowPtr, domains); err == nil && !slices.Equal(d.Start, e.Start) {
			if m, err = dist.Move(c, m, d.Start[lo], e); err != nil {
				return nil, err
			}
			d = e
		}
	}
	return adopted(c, d, m, cols)
}

// counts counts the nonzeros of the blocks by rows, duplicates included.
func (r *reading) counts() *dist.Counts {
	workers := min(r.threads, maxAssemblers, len(r.blocks)/8+1)
	parts := make([]*dist.Counts, workers)
	parallel(workers, func(w int) {
		n := dist.NewCounts(int64(r.rows))
		for _, b := range r.blocks[w*len(r.blocks)/workers : (w+1)*len(r.blocks)/workers] {
			n.AddEach(b.row)
			if r.Symmetry == General {
				continue
			}
			n.AddEach(b.col)
			if b.diagonal == 0 {
				continue
			}
			for k, i := range b.row {
				if i == b.col[k] {
					n.Add(int64(i), -1) // it is its own mirror image
				}
			}
		}
		parts[w] = n
	})
	for _, n := range parts[1:] {
		parts[0].Join(n)
	}
	return parts[0]
}

// agreeConflict returns the first contradiction of all ranks. Collective.
func (a *assembly) agreeConflict(c dist.Comm, line int64) error {
	i, j, found := a.conflict()
	rank := dist.First(c, found)
	if rank < 0 {
		return nil
	}
	pair := dist.Numbers[int64](dist.Share(c, rank, dist.Bytes([]int64{int64(i), int64(j)})))
	one, other := a.linesOf(int32(pair[0]), int32(pair[1]), line)
	lines := []int64{-one.line, -other.line}
	for k := range lines {
		if lines[k] == 0 {
			lines[k] = -int64(^uint64(0) >> 1)
		}
	}
	c.Max(lines)
	one.line, other.line = -lines[0], -lines[1]
	return a.contradiction(one, other)
}

// inProportion refuses a size line that the length of the file contradicts, or a result out of proportion to it.
func (r *reading) inProportion() error {
	whole := r.limit
	r.limit.installed = 0
	if r.limit.max > 0 {
		r.limit.max = mostBytes // the limit of a rank is checked for its share
	}
	err := r.plausible()
	r.limit = whole
	return err
}

// checkShare checks the memory of a rank: the entries of its share of the file, what came from others, and its rows.
func (r *reading) checkShare(nonzeros, received int64) error {
	shares := int64(r.shares)
	need := float64(r.size.entries/shares*r.stagedBytes() + received)
	if r.Format == Array {
		need *= 3 // the values in one piece, and the values of the rows of this rank
	} else {
		need += float64(8*(int64(r.rows)/shares+1) + 12*nonzeros)
	}
	limit := r.limit
	limit.text = 1 << 62 // rank 0 has judged the proportion
	return limit.check(need, "a part of a %d x %d %v with %s, one of %d", r.rows, r.cols, r.Object, plural(int(r.size.entries), "entry"), r.shares)
}
